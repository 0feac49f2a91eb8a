/**
 * What a guest is made of: a kernel with its modules, an initrd and a root filesystem, each made
 * once and kept in a cache.
 *
 * <p>The cache folder holds one folder per thing made. An entry appears complete, by one rename,
 * and never changes afterwards:
 *
 * <pre>
 * kernels/PACKAGE_VERSION/   vmlinuz, release, modules/   the distribution's kernel, unpacked
 * kernels/sha256-HEX[-modules]/  vmlinuz, release, modules/ a kernel a user gave
 * initrds/HEX/               initrd.cpio                  keyed by kernel, agent, runtimes, filesystem
 * roots/HEX/                 root/, disk, sha256          a recipe's packages: the folder and its image
 * disks/sha256-HEX/          disk                         an image a user gave, or of a folder a user gave
 * locks/                     one file lock per entry being made
 * work/                      entries being made; what no living process has locked is deleted
 * </pre>
 */
@NullMarked
package io.forkd.image;

import org.jspecify.annotations.NullMarked;
