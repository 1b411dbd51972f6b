import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import type { VerifyResponseOptions } from './verify-response.ts'

/** Adds the commands about calls of models. */
export function addGatewayCommands(
  program: Command,
  context: () => CliContext,
  setExitCode: (code: number) => void,
): void {
  program
    .command('docs')
    .description('answer a question from the documentation, with the pages that say it')
    .argument('<question>', 'such as "How do I verify a receipt?"')
    .action(async (question: string) => {
      const { askDocs } = await import('./docs.ts')
      setExitCode(await askDocs(context(), question))
    })
  program
    .command('verify-response')
    .description(
      "verify offline that the gateway gave this answer of a model, by the receipt in the answer's headers or at its end",
    )
    .argument('<file>', 'the body of the answer, or a saved stream (curl -N > FILE); - is standard input')
    .option('--headers <file>', 'the headers of the answer, as curl -D FILE writes them')
    .option('--jwks <file>', 'trust the keys of this JWKS in place of the pinned ones')
    .action(async (file: string, options: VerifyResponseOptions) => {
      const { verifyResponse } = await import('./verify-response.ts')
      setExitCode(await verifyResponse(context(), file, options))
    })
}
