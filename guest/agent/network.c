/* The guest's interfaces: loopback, and the wire to the host where there is one. The same in every guest,
   so that a fork has nothing to change; the host's io.forkd.base.GuestNet has the same numbers. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <net/route.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot_parts.h"

#define WIRE "eth0"
#define ADDRESS "172.30.255.2"
#define NETMASK "255.255.255.252"
#define GATEWAY "172.30.255.1"
#define MTU 1500
#define RESOLV_CONF "/etc/resolv.conf"

static struct ifreq request_for(const char *interface) {
  struct ifreq request = {0};
  format(request.ifr_name, sizeof request.ifr_name, "%s", interface);
  return request;
}

static void put_address(struct sockaddr *into, const char *text) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  inet_pton(AF_INET, text, &address.sin_addr);
  memcpy(into, &address, sizeof address);
}

static bool bring_up(int fd, const char *interface) {
  struct ifreq request = request_for(interface);
  if (ioctl(fd, SIOCGIFFLAGS, &request) < 0) return false;
  request.ifr_flags |= IFF_UP | IFF_RUNNING;
  return ioctl(fd, SIOCSIFFLAGS, &request) == 0;
}

static bool set_address(int fd, unsigned long what, const char *text) {
  struct ifreq request = request_for(WIRE);
  put_address(&request.ifr_addr, text);
  return ioctl(fd, what, &request) == 0;
}

static bool set_mtu(int fd) {
  struct ifreq request = request_for(WIRE);
  request.ifr_mtu = MTU;
  return ioctl(fd, SIOCSIFMTU, &request) == 0;
}

static bool add_default_route(int fd) {
  static char wire[] = WIRE;
  struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY, .rt_dev = wire};
  put_address(&route.rt_dst, "0.0.0.0");
  put_address(&route.rt_genmask, "0.0.0.0");
  put_address(&route.rt_gateway, GATEWAY);
  return ioctl(fd, SIOCADDRT, &route) == 0;
}

/* Written before the interface is up: it would look for routers otherwise. A kernel without IPv6 has no
   such file. */
static void disable_ipv6(void) {
  const char *path = "/proc/sys/net/ipv6/conf/" WIRE "/disable_ipv6";
  if (access(path, F_OK) == 0 && write_text(path, "1", 1, 0) < 0)
    say("cannot disable IPv6 on " WIRE ": %s", strerror(errno));
}

/* A link to what a resolver's daemon would write leads nowhere here. */
static void name_the_resolver(void) {
  static const char text[] = "nameserver " GATEWAY "\n";
  struct stat info;
  if (stat(RESOLV_CONF, &info) < 0) unlink(RESOLV_CONF);
  if (make_dirs("/etc", 0755) < 0 || write_text(RESOLV_CONF, text, sizeof text - 1, 0644) < 0)
    say("cannot write " RESOLV_CONF ": %s", strerror(errno));
}

static void wire_up(int fd) {
  struct ifreq request = request_for(WIRE);
  if (ioctl(fd, SIOCGIFFLAGS, &request) < 0) return;
  disable_ipv6();
  if (!set_mtu(fd) || !set_address(fd, SIOCSIFADDR, ADDRESS) || !set_address(fd, SIOCSIFNETMASK, NETMASK) ||
      !bring_up(fd, WIRE) || !add_default_route(fd))
    say("cannot configure " WIRE ": %s", strerror(errno));
  name_the_resolver();
}

void network_up(void) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || !bring_up(fd, "lo")) say("cannot bring lo up: %s", strerror(errno));
  if (fd < 0) return;
  wire_up(fd);
  close(fd);
}
