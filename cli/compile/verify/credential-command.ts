import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import type { CredentialOptions } from './credential.ts'

/** Adds `svc credential`. */
export function addCredentialCommand(
  program: Command,
  context: () => CliContext,
  setExitCode: (code: number) => void,
): void {
  program
    .command('credential')
    .description('issue the credential of an artifact, or verify one')
    .argument('<target>', 'an id to issue for: job (cmp_…), version, concept or CID; or FILE.json to verify')
    .option('-o, --output <file>', 'write the credential into this file')
    .option('-f, --force', 'overwrite an existing file without asking')
    .option('--offline', 'verify with the pinned keys alone: revocation is not checked')
    .option('--jwks <file>', 'trust the keys of this JWKS in place of the pinned ones')
    .action(async (target: string, options: CredentialOptions) => {
      const { credential } = await import('./credential.ts')
      setExitCode(await credential(context(), target, options))
    })
}
