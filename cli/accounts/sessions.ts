import type { Command } from 'commander'
import type { CliContext } from '../context.ts'

/** `svc sessions …`: the browsers that are signed in. */
export function addSessionCommands(program: Command, context: () => CliContext): void {
  const sessions = program.command('sessions').description('list and end the browser sessions of the account')
  sessions
    .command('list')
    .description('list the live sessions, last used first: those of all members with the primary key, else your own')
    .action(async () => {
      const { listSessions } = await import('./live-sessions.ts')
      await listSessions(context())
    })
  sessions
    .command('end')
    .description('end sessions immediately')
    .argument('<session...>', 'ids (ses_…)')
    .action(async (ids: readonly string[]) => {
      const { endSessions } = await import('./live-sessions.ts')
      await endSessions(context(), ids)
    })
}
