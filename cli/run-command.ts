import { CommanderError } from 'commander'
import { usageError } from './cli-error.ts'
import { EXIT } from './exit-codes.ts'
import { buildProgram } from './program.ts'
import { openOutput } from './terminal/output.ts'

/**
 * Runs one command of `svc` to its end, with the environment, the folder and the streams of this process.
 * `setExitCode` receives the exit code as soon as it is known. Errors are reported here.
 */
export async function runCommand(args: readonly string[], setExitCode: (code: number) => void): Promise<void> {
  const isJson = args.includes('--json')
  try {
    setExitCode(EXIT.ok)
    await buildProgram(setExitCode, { isJson }).parseAsync(args, { from: 'user' })
  } catch (error) {
    setExitCode(exitCodeOf(error, isJson))
  }
}

function exitCodeOf(error: unknown, isJson: boolean): number {
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
