import { Argument, type Command } from 'commander'
import { GATEWAY_PROVIDERS } from '../../core/gateway/calls/providers.ts'
import type { CliContext } from '../context.ts'
import { wholeNumber } from '../number-option.ts'
import type { ProviderChange } from './providers.ts'
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
  const gateway = program.command('gateway').description('show, set and test the providers of models')
  gateway
    .command('test')
    .description('try the keys of providers, by calls that cost nothing; without a provider, all that have a key')
    .addArgument(provider('[provider]'))
    .option('--key <key>', 'try this key in place of the one that calls use; - reads it from standard input')
    .action(async (id: string | undefined, options: { key?: string }) => {
      const { testProviders } = await import('./providers.ts')
      await testProviders(context(), id, options, setExitCode)
    })
  addProviderCommands(gateway, context)
}

function addProviderCommands(gateway: Command, context: () => CliContext): void {
  const change = async (id: string, settings: ProviderChange): Promise<void> => {
    const { changeProvider } = await import('./providers.ts')
    await changeProvider(context(), id, settings)
  }
  const providers = gateway
    .command('providers')
    .description('list the providers with the settings of the account')
    .action(async () => {
      const { listProviders } = await import('./providers.ts')
      await listProviders(context())
    })
  providers
    .command('enable')
    .description('send calls to a provider again')
    .addArgument(provider('<provider>'))
    .action(async (id: string) => await change(id, { enabled: true }))
  providers
    .command('disable')
    .description('send no call to a provider')
    .addArgument(provider('<provider>'))
    .action(async (id: string) => await change(id, { enabled: false }))
  providers
    .command('set')
    .description('order and limit a provider')
    .addArgument(provider('<provider>'))
    .option('--position <n>', 'its place among fallbacks, lowest first', wholeNumber(0, 1000))
    .option('--limit <n>', 'calls a minute; 0 for no limit', wholeNumber(0, 1_000_000))
    .action(async (id: string, { position, limit }: { position?: number; limit?: number }) => {
      await change(id, {
        ...(position !== undefined && { position }),
        ...(limit !== undefined && { rate_limit_rpm: limit }),
      })
    })
}

function provider(name: string): Argument {
  const ids = GATEWAY_PROVIDERS.map(({ id }) => id)
  return new Argument(name, ids.join(', ')).choices(ids)
}
