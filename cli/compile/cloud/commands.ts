import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { parseAmount } from '../../number-option.ts'
import { addAdapterOptions } from '../train/fit-options.ts'
import type { CloudCompileFlags, CloudFlags } from './cloud.ts'

/** `svc cloud …`: compiles whose adapter is fitted on a rented GPU. */
export function addCloudCommands(
  program: Command,
  context: () => CliContext,
  setExitCode: (code: number) => void,
): void {
  const cloud = program
    .command('cloud')
    .description('fit adapters on rented GPUs: what it costs, and the compile itself')
  withSource(cloud.command('quote').description('say what a compile on a rented GPU would cost; nothing is rented'))
    .option('--budget <usd>', 'fail when the quote is higher', parseAmount)
    .action(async (file: string | undefined, flags: CloudFlags) => {
      const { quoteCloud } = await import('./cloud.ts')
      await quoteCloud(context(), file, flags)
    })
  withSource(cloud.command('compile').description('compile with an adapter that is fitted on a rented GPU'))
    .requiredOption('--budget <usd>', 'before this is passed, the machine goes', parseAmount)
    .option('--allow-sensitive', 'let rows with sensitive text go to the machine; the ledger records it')
    .option('--async', 'return as soon as the job is queued')
    .option('-o, --out <file>', 'download the archive when it is ready')
    .option('-f, --force', 'overwrite an existing --out file without asking')
    .action(async (file: string | undefined, flags: CloudCompileFlags) => {
      const { compileOnCloud } = await import('./cloud.ts')
      setExitCode(await compileOnCloud(context(), file, flags))
    })
}

function withSource(command: Command): Command {
  return addAdapterOptions(command)
    .argument('[file]', 'examples: .json or .jsonl; - is standard input')
    .option('--lane <lane>', 'gpu_pods, gpu_serverless, gpu_vm or gpu_market', 'gpu_pods')
    .option('-n, --namespace <name>', 'the approved captures of a namespace in place of a file')
    .option('-t, --task <text>', 'the task in words')
    .option('--floor <k>', 'gate the job below this K-score, 0 to 1', parseAmount)
}
