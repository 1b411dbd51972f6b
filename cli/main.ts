import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

// Halves the start time of a command. In the user's own folder, since cached code is executed.
enableCompileCache(join(homedir(), '.cache', 'svc', 'compiled'))

const [{ CommanderError }, { EXIT }, { buildProgram }, { openOutput }, { usageError }] = await Promise.all([
  import('commander'),
  import('./exit-codes.ts'),
  import('./program.ts'),
  import('./terminal/output.ts'),
  import('./cli-error.ts'),
])

const args = process.argv.slice(2)
const isJson = args.includes('--json')

// A reader that has seen enough (`svc jobs | head`) is no failure.
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(EXIT.ok)
  throw error
})

try {
  process.exitCode = EXIT.ok
  await buildProgram(
    (code) => {
      process.exitCode = code
    },
    { isJson },
  ).parseAsync(args, { from: 'user' })
} catch (error) {
  process.exitCode = exitCodeOf(error)
}

function exitCodeOf(error: unknown): number {
  if (!(error instanceof CommanderError)) return openOutput(isJson).fail(error).exitCode
  if (error.exitCode === 0) return EXIT.ok
  // Commander has printed the error already, but as text.
  if (isJson) openOutput(true).fail(usageError(usageMessage(error.message)))
  return EXIT.usage
}

/** A command without its subcommand has no message: Commander shows its help. */
function usageMessage(message: string): string {
  return message === '(outputHelp)' ? 'a command is missing: svc --help lists them' : message.replace(/^error: /, '')
}
