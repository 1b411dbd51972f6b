/**
 * Runs the benchmarks one after the other: `npm run bench -- [--pbe FILE] [--intents FILE] [--python FILE]
 * [name ...]`. Each prints a table and writes it under `.out/`. Those that need a data file, or a Python with torch, are
 * left out when none is given.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { pbe: { type: 'string' }, intents: { type: 'string' }, python: { type: 'string' } },
})
const { pbe, intents, python } = options

const BENCHMARKS: Readonly<Record<string, readonly string[] | undefined>> = {
  synthesis: pbe === undefined ? [] : ['--data', pbe],
  'small-sets': [],
  compile: pbe === undefined ? undefined : ['--data', pbe],
  intents: intents === undefined ? undefined : ['--data', intents],
  run: [],
  guard: [],
  ledger: [],
  queue: [],
  faults: [],
  attacks: [],
  memory: [],
  generation: [],
  peft: python === undefined ? undefined : ['--python', python],
}

const names = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS)
for (const name of names) {
  if (!Object.hasOwn(BENCHMARKS, name)) throw new Error(`no benchmark ${name}: ${Object.keys(BENCHMARKS).join(', ')}`)
  const args = BENCHMARKS[name]
  console.log(`\n${name}${args === undefined ? ': left out, it needs an option' : ''}`)
  if (args === undefined) continue
  const { status } = spawnSync(process.execPath, [`bench/${name}.ts`, ...args], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
