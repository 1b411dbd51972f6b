import type { Command } from 'commander'
import type { CliContext } from '../../context.ts'
import { wholeNumber, wholeNumbers } from '../../number-option.ts'
import type { MeasureFlags } from './inference.ts'
import { addPackCommands } from './pack-commands.ts'

/** `svc bench …`: benchmarks, and speed as it is measured here. */
export function addBenchCommands(
  program: Command,
  context: () => CliContext,
  setExitCode: (code: number) => void,
): void {
  const bench = program.command('bench').description('run benchmarks on artifacts and bases, and measure their speed')
  addPackCommands(bench, context)
  bench
    .command('inference')
    .description('measure the speed of an artifact or a base, and sign the row; without a target, list measurements')
    .argument('[target]', 'cmp_…, or the name of a base')
    .option('-c, --concurrency <n...>', 'calls under way at once, from 1 to 16', wholeNumbers(1, 16))
    .option('--repeats <n>', 'times that each prompt is asked', wholeNumber(1, 1000))
    .option('--warm-up <n>', 'calls before any is measured', wholeNumber(0, 100))
    .option('--max-tokens <n>', 'tokens of an answer of a base at most', wholeNumber(1, 8192))
    .option('--prompt <text...>', 'what is asked, in place of the built-in prompts')
    .option('--dry-run', 'show what would be measured')
    .option('-o, --out <file>', 'write the signed row here')
    .action(async (target: string | undefined, flags: MeasureFlags) => {
      const { listMeasurements, measureInference } = await import('./inference.ts')
      if (target === undefined) await listMeasurements(context())
      else await measureInference(context(), target, flags)
    })
  bench
    .command('verify')
    .description('verify the signature of a row by pinned keys, without the service')
    .argument('<file>', 'a row, as svc bench inference --out writes it')
    .option('--jwks <file>', 'the keys of the service; pinned ones when absent')
    .action(async (file: string, flags: { readonly jwks?: string }) => {
      const { verifyRow } = await import('./verify-row.ts')
      setExitCode(await verifyRow(context(), file, flags))
    })
}
