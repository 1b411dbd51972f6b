import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

// Halves the start time of a command. In the user's own folder, since cached code is executed.
enableCompileCache(join(homedir(), '.cache', 'svc', 'compiled'))

const [{ CommanderError }, { EXIT }, { buildProgram }, { openOutput }] = await Promise.all([
  import('commander'),
  import('./exit-codes.ts'),
  import('./program.ts'),
  import('./terminal/output.ts'),
])

const args = process.argv.slice(2)

// A reader that has seen enough (`svc jobs | head`) is no failure.
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(EXIT.ok)
  throw error
})

try {
  process.exitCode = EXIT.ok
  await buildProgram((code) => {
    process.exitCode = code
  }).parseAsync(args, { from: 'user' })
} catch (error) {
  // Commander has printed the error already.
  process.exitCode =
    error instanceof CommanderError
      ? error.exitCode === 0
        ? EXIT.ok
        : EXIT.usage
      : openOutput(args.includes('--json')).fail(error).exitCode
}
