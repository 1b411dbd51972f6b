import type { Command } from 'commander'
import type { CliContext } from '../context.ts'

/** `svc org …`: the organisation of the key. */
export function addOrgCommands(program: Command, context: () => CliContext): void {
  const org = program.command('org').description('show and rename the organisation')
  org
    .command('show')
    .description('show its name, plan and seats, and your role')
    .action(async () => {
      const { showOrg } = await import('./current-org.ts')
      await showOrg(context())
    })
  org
    .command('rename')
    .description('give it another name; needs the role admin')
    .argument('<name>', '3 to 63 lower-case letters, digits and hyphens')
    .action(async (name: string) => {
      const { renameOrg } = await import('./current-org.ts')
      await renameOrg(context(), name)
    })
}
