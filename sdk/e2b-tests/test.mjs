// Every call of the npm packages e2b and @e2b/code-interpreter.
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Cases, holds, raises, same, soon } from './harness.mjs'

const [client, out, modules] = process.argv.slice(2)
const require = createRequire(pathToFileURL(modules + '/package.json'))
const { Sandbox, Template } = require('e2b')
const { Sandbox: CodeSandbox } = require('@e2b/code-interpreter')

const cases = new Cases(client, out, process.env.ONLY)
const URL_OF_DAEMON = process.env.E2B_API_URL
const FOLDER = `/tmp/e2b-js-${process.pid}`
let box
let code

/** Status and body of a plain request, which may name any host. */
function http(url, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, timeout: 30000 }, (answer) => {
      const chunks = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () => resolve([answer.statusCode, Buffer.concat(chunks).toString()]))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function create() {
  box = await Sandbox.create({ timeoutMs: 300_000, metadata: { case: 'js', 'a b': 'c&d/é' }, envs: { GIVEN: 'at birth' } })
  holds(box.sandboxId.startsWith('sb-'), box.sandboxId)
}

async function createUnknown() {
  const e = await raises([], () => Sandbox.create('no-such-template'))
  holds(e.message.includes('no-such-template'), e.message)
}

async function wrongKey() {
  await raises(['AuthenticationError'], () => Sandbox.create({ apiKey: 'e2b_' + '0'.repeat(80) }))
}

async function getInfo() {
  const info = await box.getInfo()
  same(info.sandboxId, box.sandboxId)
  same(Object.entries(info.metadata).sort(), Object.entries({ case: 'js', 'a b': 'c&d/é' }).sort())
  same(info.templateId, 'base')
  holds(info.endAt > info.startedAt, 'it ends before it starts')
}

async function list() {
  const found = []
  const pages = Sandbox.list()
  while (pages.hasNext) found.push(...(await pages.nextItems()).map((item) => item.sandboxId))
  holds(found.includes(box.sandboxId), found)
}

async function listFilter() {
  const found = await Sandbox.list({ query: { metadata: { 'a b': 'c&d/é' }, state: ['running'] } }).nextItems()
  same(found.filter((item) => item.metadata.case === 'js').map((item) => item.sandboxId), [box.sandboxId])
  same(await Sandbox.list({ query: { metadata: { 'a b': 'other' } } }).nextItems(), [])
}

async function listPages() {
  const other = await Sandbox.create({ timeoutMs: 120_000, metadata: { case: 'js' } })
  try {
    const pages = Sandbox.list({ query: { metadata: { case: 'js' } }, limit: 1 })
    const first = await pages.nextItems()
    holds(pages.hasNext, 'there is one page only')
    const second = await pages.nextItems()
    same([first[0].sandboxId, second[0].sandboxId].sort(), [box.sandboxId, other.sandboxId].sort())
    holds(!pages.hasNext, 'there is a third page')
  } finally {
    await other.kill()
  }
}

async function setTimeoutOfIt() {
  const before = (await box.getInfo()).endAt
  await box.setTimeout(600_000)
  holds((await box.getInfo()).endAt > before, 'its end did not move')
}

async function connect() {
  const again = await Sandbox.connect(box.sandboxId)
  same((await again.commands.run('echo again')).stdout, 'again\n')
}

async function isRunning() {
  same(await box.isRunning(), true)
}

async function getMetrics() {
  const [sample] = await box.getMetrics()
  holds(sample.cpuCount > 0 && sample.memTotal > 0 && sample.diskTotal > 0, JSON.stringify(sample))
}

async function run() {
  const { stdout, stderr, exitCode } = await box.commands.run('echo out; echo err >&2')
  same([stdout, stderr, exitCode], ['out\n', 'err\n', 0])
}

async function runStreams() {
  const [outs, errs] = [[], []]
  await box.commands.run('echo 1; sleep 0.3; echo 2; echo 3 >&2', { onStdout: (t) => outs.push(t), onStderr: (t) => errs.push(t) })
  same([outs.join(''), errs.join('')], ['1\n2\n', '3\n'])
  holds(outs.length > 1, 'all came at once')
}

async function runExit() {
  const e = await raises(['CommandExitError'], () => box.commands.run('echo bad >&2; exit 7'))
  same([e.exitCode, e.stderr], [7, 'bad\n'])
}

async function runGiven() {
  const { stdout } = await box.commands.run('echo "$GIVEN $NOW"; pwd', { envs: { NOW: 'and now' }, cwd: '/usr' })
  same(stdout, 'at birth and now\n/usr\n')
}

async function runUser() {
  same((await box.commands.run('id -un', { user: 'root' })).stdout, 'root\n')
  holds(['user\n', 'root\n'].includes((await box.commands.run('id -un')).stdout), 'an unknown user')
}

async function runTimeout() {
  await raises(['TimeoutError'], () => box.commands.run('sleep 60', { timeoutMs: 1000 }))
}

async function runMuch() {
  same((await box.commands.run("head -c 8388608 /dev/zero | tr '\\0' x", { timeoutMs: 120_000 })).stdout.length, 8388608)
}

async function runParallel() {
  const found = await Promise.all([...Array(8).keys()].map((i) => box.commands.run(`sleep 0.2; echo ${i}`)))
  same(found.map((result) => result.stdout), [...Array(8).keys()].map((i) => `${i}\n`))
}

async function background() {
  const handle = await box.commands.run('sleep 0.5; echo done', { background: true })
  holds(handle.pid > 0, handle.pid)
  same((await handle.wait()).stdout, 'done\n')
}

async function commandsList() {
  const handle = await box.commands.run('sleep 50', { background: true })
  handle.wait().catch(() => {})
  holds((await box.commands.list()).some((process) => process.pid === handle.pid), 'it is not listed')
  same(await handle.kill(), true)
}

async function commandsKill() {
  const handle = await box.commands.run('sleep 50', { background: true })
  same(await box.commands.kill(handle.pid), true)
  same((await raises(['CommandExitError'], () => handle.wait())).exitCode, -1)
  same(await box.commands.kill(999999), false)
}

async function commandsConnect() {
  const handle = await box.commands.run('sleep 1; echo late', { background: true })
  await handle.disconnect()
  same((await (await box.commands.connect(handle.pid)).wait()).stdout, 'late\n')
}

async function sendStdin() {
  const handle = await box.commands.run('read line; echo got $line', { background: true, stdin: true })
  await box.commands.sendStdin(handle.pid, 'this\n')
  same((await handle.wait()).stdout, 'got this\n')
}

async function closeStdin() {
  const handle = await box.commands.run('cat', { background: true, stdin: true })
  await box.commands.sendStdin(handle.pid, 'all of it')
  await box.commands.closeStdin(handle.pid)
  same((await handle.wait()).stdout, 'all of it')
}

/** A terminal and what it has written so far. */
async function terminal() {
  let seen = ''
  const handle = await box.pty.create({ cols: 80, rows: 24, timeoutMs: 60_000, onData: (data) => (seen += Buffer.from(data)) })
  handle.wait().catch(() => {})
  return { handle, shows: (text) => soon(() => seen.includes(text), `${text} is not shown`) }
}

const type = (handle, text) => box.pty.sendInput(handle.pid, new TextEncoder().encode(text))

async function pty() {
  const { handle, shows } = await terminal()
  await type(handle, 'echo $((6*7))x\n')
  await shows('42x')
  await handle.kill()
}

async function ptyResize() {
  const { handle, shows } = await terminal()
  await box.pty.resize(handle.pid, { cols: 100, rows: 30 })
  await type(handle, 'stty size\n')
  await shows('30 100')
  await handle.kill()
}

async function ptyKill() {
  const { handle } = await terminal()
  same(await box.pty.kill(handle.pid), true)
  await raises(['CommandExitError'], () => handle.wait())
}

async function ptyConnect() {
  const { handle } = await terminal()
  await handle.disconnect()
  let seen = ''
  const again = await box.pty.connect(handle.pid, { onData: (data) => (seen += Buffer.from(data)) })
  again.wait().catch(() => {})
  await type(handle, 'echo $((40+2))y\n')
  await soon(() => seen.includes('42y'), 'it shows nothing')
  await again.kill()
}

async function writeRead() {
  const info = await box.files.write(`${FOLDER}/deep/a.txt`, 'héllo')
  same([info.path, info.name], [`${FOLDER}/deep/a.txt`, 'a.txt'])
  same(await box.files.read(`${FOLDER}/deep/a.txt`), 'héllo')
}

async function readBytes() {
  const content = new Uint8Array(256_000).map((_, i) => i)
  await box.files.write(`${FOLDER}/b`, content.buffer)
  same(Buffer.compare(await box.files.read(`${FOLDER}/b`, { format: 'bytes' }), content), 0)
  let length = 0
  for await (const chunk of await box.files.read(`${FOLDER}/b`, { format: 'stream' })) length += chunk.length
  same(length, content.length)
}

async function writeStream() {
  const content = '0123456789'.repeat(300_000)
  await box.files.write(`${FOLDER}/s`, new Blob([content]).stream())
  same((await box.files.read(`${FOLDER}/s`)).length, content.length)
  await box.files.write(`${FOLDER}/z`, content, { gzip: true })
  same((await box.files.read(`${FOLDER}/z`, { gzip: true })) === content, true)
}

async function writeFiles() {
  const written = await box.files.writeFiles([0, 1, 2].map((i) => ({ path: `${FOLDER}/m${i}`, data: `${i}` })))
  same(written.map((info) => info.path), [0, 1, 2].map((i) => `${FOLDER}/m${i}`))
  same(await box.files.read(`${FOLDER}/m2`), '2')
}

async function filesList() {
  await box.files.write(`${FOLDER}/l/one`, '1')
  await box.files.write(`${FOLDER}/l/sub/two`, '22')
  same((await box.files.list(`${FOLDER}/l`)).map((entry) => entry.name).sort(), ['one', 'sub'])
  same((await box.files.list(`${FOLDER}/l`, { depth: 2 })).map((entry) => entry.name).sort(), ['one', 'sub', 'two'])
}

async function filesInfo() {
  await box.files.write(`${FOLDER}/i`, '1234')
  const entry = await box.files.getInfo(`${FOLDER}/i`)
  same([entry.size, entry.type, entry.permissions], [4, 'file', '-rw-r--r--'])
  await raises(['NotFoundError', 'FileNotFoundError'], () => box.files.getInfo(`${FOLDER}/nothing`))
}

async function filesExists() {
  await box.files.write(`${FOLDER}/e`, '')
  same([await box.files.exists(`${FOLDER}/e`), await box.files.exists(`${FOLDER}/nothing`)], [true, false])
}

async function makeDir() {
  same([await box.files.makeDir(`${FOLDER}/d/e`), await box.files.makeDir(`${FOLDER}/d/e`)], [true, false])
}

async function rename() {
  await box.files.write(`${FOLDER}/old`, 'x')
  same((await box.files.rename(`${FOLDER}/old`, `${FOLDER}/new`)).path, `${FOLDER}/new`)
  same(await box.files.exists(`${FOLDER}/old`), false)
}

async function remove() {
  await box.files.write(`${FOLDER}/gone/x`, 'x')
  await box.files.remove(`${FOLDER}/gone`)
  same(await box.files.exists(`${FOLDER}/gone`), false)
}

async function readMissing() {
  await raises(['NotFoundError', 'FileNotFoundError'], () => box.files.read(`${FOLDER}/nothing`))
}

async function watch() {
  await box.files.makeDir(`${FOLDER}/w/sub`)
  const events = []
  const handle = await box.files.watchDir(`${FOLDER}/w`, (event) => events.push(event), { recursive: true, includeEntry: true })
  await box.files.write(`${FOLDER}/w/sub/new`, 'x')
  await soon(() => events.some((event) => event.name === 'sub/new' && event.entry), JSON.stringify(events))
  await handle.stop()
}

async function metadata() {
  await box.files.write(`${FOLDER}/meta`, 'x', { metadata: { author: 'me', n: '1' } })
  same(Object.entries((await box.files.getInfo(`${FOLDER}/meta`)).metadata).sort(), [['author', 'me'], ['n', '1']])
}

async function users() {
  await box.files.write('own.txt', 'x')
  const home = (await box.commands.run('echo ~')).stdout.trim()
  same((await box.files.getInfo('own.txt')).path, `${home}/own.txt`)
  await box.files.write(`${FOLDER}/by-root`, 'x', { user: 'root' })
  same((await box.files.getInfo(`${FOLDER}/by-root`)).owner, 'root')
  await raises(['AuthenticationError'], () => box.files.read('x', { user: 'nobody-has-this-name' }))
}

async function signedUrls() {
  await box.files.write(`${FOLDER}/signed`, 'by url')
  same(await http(await box.downloadUrl(`${FOLDER}/signed`, { useSignatureExpiration: 60 })), [200, 'by url'])
  const wrong = (await box.downloadUrl(`${FOLDER}/signed`)).replace('signature=v1_', 'signature=v1_x')
  holds([401, 502].includes((await http(wrong))[0]), 'a wrong signature was taken')
  const body = '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nup\r\n--b--\r\n'
  const sent = await http(await box.uploadUrl(`${FOLDER}/up`), { method: 'POST', headers: { 'Content-Type': 'multipart/form-data; boundary=b' }, body })
  same(sent[0], 200)
  same(await box.files.read(`${FOLDER}/up`), 'up')
}

async function getHost() {
  await box.commands.run('mkdir -p /tmp/wwwjs && echo from the guest > /tmp/wwwjs/page')
  const server = await box.commands.run('python3 -m http.server 3001 --bind 127.0.0.1 -d /tmp/wwwjs', { background: true, timeoutMs: 0 })
  server.wait().catch(() => {})
  const host = { Host: box.getHost(3001) }
  const headers = { ...host, 'E2B-Traffic-Access-Token': box.trafficAccessToken }
  await soon(async () => (await http(`${URL_OF_DAEMON}/page`, { headers }))[1] === 'from the guest\n', 'the port does not answer')
  same((await http(`${URL_OF_DAEMON}/page`, { headers: host }))[0], 401)
  await server.kill()
}

async function pauseConnect() {
  await box.commands.run('echo kept > /tmp/kept')
  await (box.pause ?? box.betaPause).call(box)
  same((await box.getInfo()).state, 'paused')
  await raises([], () => box.commands.run('true'))
  const back = await Sandbox.connect(box.sandboxId, { timeoutMs: 300_000 })
  same((await back.commands.run('cat /tmp/kept')).stdout, 'kept\n')
  same((await box.getInfo()).state, 'running')
}

async function onTimeoutPause() {
  const short = await Sandbox.create({ timeoutMs: 4000, lifecycle: { onTimeout: 'pause' } })
  try {
    await soon(async () => (await short.getInfo()).state === 'paused', 'it was not paused', 60)
    same((await (await Sandbox.connect(short.sandboxId, { timeoutMs: 60_000 })).commands.run('echo back')).stdout, 'back\n')
  } finally {
    await short.kill()
  }
}

async function autoResume() {
  const short = await Sandbox.create({ timeoutMs: 4000, lifecycle: { onTimeout: 'pause', autoResume: true } })
  try {
    await soon(async () => (await short.getInfo()).state === 'paused', 'it was not paused', 60)
    same((await short.commands.run('echo awake')).stdout, 'awake\n')
  } finally {
    await short.kill()
  }
}

async function fork() {
  await box.commands.run('echo parent > /tmp/forked')
  const forks = await box.fork({ count: 2, timeoutMs: 120_000 })
  same(forks.length, 2)
  for (const child of forks) same((await child.commands.run('cat /tmp/forked')).stdout, 'parent\n')
  await forks[0].commands.run('echo child > /tmp/forked')
  same((await forks[1].commands.run('cat /tmp/forked')).stdout, 'parent\n')
  same((await box.commands.run('cat /tmp/forked')).stdout, 'parent\n')
  same(new Set([box, ...forks].map((each) => each.trafficAccessToken)).size, 3)
  for (const child of forks) await child.kill()
}

async function snapshots() {
  await box.commands.run('echo in the snapshot > /tmp/snap')
  const made = await box.createSnapshot({ name: `js-${process.pid}` })
  const found = (await box.listSnapshots().nextItems()).map((item) => item.snapshotId)
  holds(found.includes(made.snapshotId), found)
  const child = await Sandbox.create(made.snapshotId, { timeoutMs: 120_000 })
  same((await child.commands.run('cat /tmp/snap')).stdout, 'in the snapshot\n')
  await child.kill()
  same([await Sandbox.deleteSnapshot(made.snapshotId), await Sandbox.deleteSnapshot(made.snapshotId)], [true, false])
}

async function updateNetwork() {
  await box.updateNetwork({ allowInternetAccess: false })
  same((await box.getInfo()).allowInternetAccess, false)
  await box.updateNetwork({ allowOut: ['example.org', '192.0.2.0/24'], denyOut: ['0.0.0.0/0'] })
  same((await box.getInfo()).network.allowOut.sort(), ['192.0.2.0/24', 'example.org'])
}

async function dead() {
  const doomed = await Sandbox.create({ timeoutMs: 60_000 })
  same([await doomed.kill(), await Sandbox.kill(doomed.sandboxId)], [true, false])
  same(await doomed.isRunning(), false)
  await raises(['SandboxNotFoundError', 'NotFoundError', 'TimeoutError'], () => doomed.commands.run('true'))
  await raises([], () => doomed.files.read('/etc/hostname'))
  await raises([], () => doomed.setTimeout(10_000))
  await raises(['SandboxNotFoundError', 'NotFoundError'], () => Sandbox.connect(doomed.sandboxId))
}

async function timedOut() {
  const short = await Sandbox.create({ timeoutMs: 2000 })
  await soon(async () => !(await short.isRunning()), 'it lives on', 30)
}

async function templateExists() {
  same([await Template.exists('base'), await Template.exists('no-such-template')], [true, false])
}

async function kill() {
  same([await box.kill(), await Sandbox.kill(box.sandboxId)], [true, false])
}

async function codeCreate() {
  code = await CodeSandbox.create({ timeoutMs: 300_000 })
  same((await code.getInfo()).templateId, 'code-interpreter-v1')
}

async function runCode() {
  same((await code.runCode('1 + 1')).text, '2')
}

async function runCodeState() {
  await code.runCode('kept = 20')
  same((await code.runCode('kept * 2 + 2')).text, '42')
}

async function runCodeStreams() {
  const [outs, errs] = [[], []]
  const text = "import sys\nfor i in range(3):\n    print(i, flush=True)\nprint('é', file=sys.stderr)"
  const done = await code.runCode(text, { onStdout: (m) => outs.push(m.line), onStderr: (m) => errs.push(m.line) })
  same([outs.join(''), errs.join('')], ['0\n1\n2\n', 'é\n'])
  same(done.logs.stdout.join(''), '0\n1\n2\n')
}

async function runCodeError() {
  const { error } = await code.runCode('1/0')
  same(error.name, 'ZeroDivisionError')
  holds(error.traceback.includes('ZeroDivisionError'), error.traceback)
}

async function runCodePlot() {
  const { results, error } = await code.runCode('import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.show()', { timeoutMs: 120_000 })
  holds(!error, error?.value)
  holds(results.some((result) => result.png?.startsWith('iVBOR')), 'there is no png')
}

async function runCodeTable() {
  const { results, error } = await code.runCode("import pandas as pd\npd.DataFrame({'a': [1, 2]})", { timeoutMs: 120_000 })
  holds(!error, error?.value)
  holds(results[0].html?.includes('<table'), 'there is no html')
}

async function runCodeEnvs() {
  same((await code.runCode("import os; os.environ['NOW']", { envs: { NOW: 'here' } })).text, "'here'")
}

async function runCodeTimeout() {
  await raises(['TimeoutError'], () => code.runCode('import time; time.sleep(60)', { timeoutMs: 2000 }))
  same((await code.runCode('2 + 2', { timeoutMs: 60_000 })).text, '4')
}

async function runCodeJavaScript() {
  same((await code.runCode('[1, 2, 3].length', { language: 'js', timeoutMs: 60_000 })).text, '3')
}

async function contexts() {
  const own = await code.createCodeContext({ cwd: '/tmp', language: 'python' })
  await code.runCode("x = 'own'", { context: own })
  same((await code.runCode('x', { context: own })).text, "'own'")
  holds((await code.runCode('x')).error, 'contexts share their state')
  holds((await code.listCodeContexts()).some((context) => context.id === own.id), 'it is not listed')
  await code.restartCodeContext(own)
  holds((await code.runCode('x', { context: own })).error, 'a restart keeps the state')
  await code.removeCodeContext(own)
  holds(!(await code.listCodeContexts()).some((context) => context.id === own.id), 'it is still listed')
}

const CASES = [
  ['Sandbox.create', create],
  ['Sandbox.create, unknown template', createUnknown],
  ['Sandbox.create, wrong key', wrongKey],
  ['getInfo', getInfo],
  ['Sandbox.list', list],
  ['Sandbox.list, metadata and state', listFilter],
  ['Sandbox.list, pages', listPages],
  ['setTimeout', setTimeoutOfIt],
  ['Sandbox.connect', connect],
  ['isRunning', isRunning],
  ['getMetrics', getMetrics],
  ['commands.run', run],
  ['commands.run, streamed', runStreams],
  ['commands.run, exit code', runExit],
  ['commands.run, envs and cwd', runGiven],
  ['commands.run, user', runUser],
  ['commands.run, timeout', runTimeout],
  ['commands.run, 8 MB of output', runMuch],
  ['commands.run, 8 at once', runParallel],
  ['commands.run, background', background],
  ['commands.list', commandsList],
  ['commands.kill', commandsKill],
  ['commands.connect', commandsConnect],
  ['commands.sendStdin', sendStdin],
  ['commands.closeStdin', closeStdin],
  ['pty.create, pty.sendInput', pty],
  ['pty.resize', ptyResize],
  ['pty.kill', ptyKill],
  ['pty.connect', ptyConnect],
  ['files.write, files.read', writeRead],
  ['files.read, bytes and stream', readBytes],
  ['files.write, stream and gzip', writeStream],
  ['files.writeFiles', writeFiles],
  ['files.list', filesList],
  ['files.getInfo', filesInfo],
  ['files.exists', filesExists],
  ['files.makeDir', makeDir],
  ['files.rename', rename],
  ['files.remove', remove],
  ['files.read, missing file', readMissing],
  ['files.watchDir', watch],
  ['files.write, metadata', metadata],
  ['files, users', users],
  ['downloadUrl, uploadUrl', signedUrls],
  ['getHost', getHost],
  ['pause, connect', pauseConnect],
  ['lifecycle, pause on timeout', onTimeoutPause],
  ['lifecycle, resume by itself', autoResume],
  ['fork', fork],
  ['createSnapshot, listSnapshots, deleteSnapshot', snapshots],
  ['updateNetwork', updateNetwork],
  ['a dead sandbox', dead],
  ['a sandbox whose time is over', timedOut],
  ['Template.exists', templateExists],
  ['kill', kill],
  ['code: Sandbox.create', codeCreate],
  ['runCode', runCode],
  ['runCode, state', runCodeState],
  ['runCode, streamed', runCodeStreams],
  ['runCode, error', runCodeError],
  ['runCode, matplotlib', runCodePlot],
  ['runCode, pandas', runCodeTable],
  ['runCode, envs', runCodeEnvs],
  ['runCode, timeout', runCodeTimeout],
  ['runCode, JavaScript', runCodeJavaScript],
  ['code contexts', contexts],
]

for (const [call, body] of CASES) await cases.run(call, body)
for (const left of [box, code]) await left?.kill().catch(() => {})
cases.finish()
