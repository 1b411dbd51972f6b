/** A process that runs calls of the CLI one after the other, each with its own environment, folder and streams. */
import { Readable, Writable } from 'node:stream'
import { runCommand } from '../../../cli/program.ts'
import type { HostedCall, HostedRun } from './hosts.ts'

/** Where Node keeps the connections that `fetch` leaves open. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1')

function collect(chunks: Buffer[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
}

function replace(name: 'stdin' | 'stdout' | 'stderr', stream: Readable | Writable): void {
  Object.defineProperty(process, name, { value: stream, configurable: true })
}

/** Forgets what a new process would not have: connections, and listeners of the calls before. */
async function forget(): Promise<void> {
  process.removeAllListeners('SIGINT')
  const dispatcher: unknown = Reflect.get(globalThis, DISPATCHER)
  if (!isDispatcher(dispatcher)) return
  Reflect.set(globalThis, DISPATCHER, new dispatcher.constructor())
  await dispatcher.destroy()
}

/** Whether it is Node's own: the package `undici`, which some commands load, puts another into its place. */
function isDispatcher(value: unknown): value is { constructor: new () => unknown; destroy(): Promise<void> } {
  return typeof value === 'object' && value !== null && value.constructor.name === 'Agent'
}

async function serve({ args, folder, stdin, env }: HostedCall): Promise<HostedRun> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(folder)
  replace('stdin', Readable.from(stdin === '' ? [] : [Buffer.from(stdin)], { objectMode: false }))
  replace('stdout', collect(stdout))
  replace('stderr', collect(stderr))
  let code = 0
  await runCommand(args, (given) => {
    code = given
  })
  await forget()
  process.chdir('/')
  return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }
}

process.on('message', (call: HostedCall) => {
  void serve(call).then((run) => process.send?.(run))
})
process.once('disconnect', () => process.exit())
