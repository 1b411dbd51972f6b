import type { Command } from 'commander'
import type { CliContext } from '../context.ts'

/** `svc open`. */
export function addConsoleCommand(program: Command, context: () => CliContext): void {
  program
    .command('open')
    .description('open the console in the browser')
    .argument('[job]', 'id of a job, to open its page')
    .option('--print', 'print the address and open nothing')
    .action(async (job: string | undefined, options: { print?: boolean }) => {
      const { openConsole } = await import('./open.ts')
      await openConsole(context(), job, options)
    })
}
