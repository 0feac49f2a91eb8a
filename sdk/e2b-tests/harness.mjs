// Runs named cases one after the other and writes what became of each.
import { writeFileSync } from 'node:fs'

export class Cases {
  constructor(client, out, only) {
    this.client = client
    this.out = out
    this.only = only ? new Set(only.split(';')) : null
    this.results = []
  }

  async run(call, body) {
    if (this.only && !this.only.has(call)) return
    const begun = performance.now()
    let failure = null
    try {
      await body()
    } catch (e) {
      console.error(e)
      failure = `${e?.name}: ${e?.message}`.slice(0, 300)
    }
    const seconds = Math.round((performance.now() - begun) / 10) / 100
    this.results.push({ call, ok: failure === null, seconds, failure })
    console.log(`${failure === null ? 'ok  ' : 'FAIL'} ${this.client} ${call} (${seconds} s)${failure === null ? '' : ': ' + failure}`)
  }

  finish() {
    writeFileSync(this.out, JSON.stringify({ client: this.client, results: this.results }, null, 1))
    process.exit(this.results.every((result) => result.ok) ? 0 : 1)
  }
}

export function same(found, expected) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)]
  if (a !== b) throw new Error(`expected ${b}, found ${a}`)
}

export function holds(condition, what) {
  if (!condition) throw new Error(String(what))
}

/** The error that a call ends with, by one of these names. */
export async function raises(names, body) {
  let found
  try {
    found = await body()
  } catch (e) {
    if (names.length === 0 || names.includes(e.name)) return e
    throw new Error(`expected ${names.join(' or ')}, but ${e.name} was thrown: ${e.message}`)
  }
  throw new Error(`nothing was thrown, but ${JSON.stringify(found)} returned`)
}

/** Waits for something that happens by itself. */
export async function soon(condition, what, seconds = 20) {
  const end = performance.now() + seconds * 1000
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(String(what))
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
