import { InvalidArgumentError, Option, type Command } from 'commander'
import { PRESET_IDS } from '../../../core/accounts/key-scopes/scope-presets.ts'
import type { CliContext } from '../../context.ts'
import type { CreateKeyFlags } from './create-key.ts'

/** `svc keys …`: the keys that open the account. */
export function addKeyCommands(program: Command, context: () => CliContext): void {
  const keys = program.command('keys').description('list, create, revoke and replace the keys of the account')
  keys
    .command('list')
    .description('list the active keys, the primary key first')
    .option('--all', 'include scoped keys that have ended')
    .action(async (options: { all?: boolean }) => {
      const { listKeys } = await import('./list-keys.ts')
      await listKeys(context(), { isAll: options.all ?? false })
    })
  keys
    .command('scopes')
    .description('list the scopes of keys and the presets, in words')
    .action(async () => {
      const { listScopes } = await import('./list-keys.ts')
      await listScopes(context())
    })
  keys
    .command('create')
    .description('create a key with fewer permissions than yours; it is shown only once and not stored')
    .addOption(new Option('-p, --preset <preset>', 'a named choice of scopes (svc keys scopes)').choices(PRESET_IDS))
    .option('-s, --scope <scope...>', 'its scopes: run, compile:*, namespace:support (svc keys scopes)')
    .option('--label <text>', 'its label')
    .addOption(new Option('--days <n>', 'days until it expires').argParser(parseDays).conflicts('expires'))
    .option('--expires <time>', 'when it expires, such as 2030-01-31T12:00:00Z', parseTime)
    .option('--team <id>', 'the team that its calls count towards')
    .action(async (options: CreateKeyFlags) => {
      const { createKey } = await import('./create-key.ts')
      await createKey(context(), options)
    })
  keys
    .command('revoke')
    .description('revoke a scoped key and the sessions that it opened')
    .argument('<key>', 'its id (key_…), or enough of its public part to identify it (ks_…)')
    .action(async (key: string) => {
      const { revokeKey } = await import('./revoke-key.ts')
      await revokeKey(context(), key)
    })
  keys
    .command('rotate')
    .description('replace a key; the new one is shown only once, and stored in the profile if the old one was')
    .argument('[key]', 'enough of its public part to identify it (ks_…); the primary key when absent')
    .option('--label <text>', 'a new label for the primary key (default: keep the label)')
    .action(async (key: string | undefined, options: { label?: string }) => {
      const { rotateKey } = await import('./rotate-key.ts')
      await rotateKey(context(), key, options)
    })
}

function parseDays(text: string): number {
  const days = Number(text)
  if (text.trim() === '' || !(days > 0 && days <= 3650)) throw new InvalidArgumentError('must be from 1 to 3650')
  return days
}

function parseTime(text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('must be a time such as 2030-01-31T12:00:00Z')
  return time.toISOString()
}
