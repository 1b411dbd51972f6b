import { Option, type Command } from 'commander'
import { EXPORT_FORMATS } from '../../core/learn/datasets/export/formats.ts'
import { SIDES } from '../../core/learn/datasets/states.ts'
import type { CliContext } from '../context.ts'
import { parseAmount, wholeNumber } from '../number-option.ts'
import type { ExportFlags, ImportFlags, SplitFlags, VersionFlags } from './dataset-flags.ts'

const version = wholeNumber(1, 1_000_000)

/** `svc data …`: datasets and their versions. */
export function addDataCommands(program: Command, context: () => CliContext): void {
  const data = program.command('data').description('keep datasets: import, inspect, split, compare and export them')
  data
    .command('import')
    .description('make a dataset of files, folders or captures, or import them into one')
    .argument('[files...]', 'JSONL, JSON, CSV or Parquet files, a zip of them, or a folder as datasets has it')
    .option('-n, --namespace <name>', 'the namespace of a new dataset')
    .option('--name <text>', 'the name of a new dataset')
    .option('--into <dataset>', 'import into this dataset, as its next version')
    .option('--ratio <number>', 'share of the rows to learn from', parseAmount)
    .option('--captures', 'take the captures of the namespace')
    .option('--approved', 'take approved captures alone')
    .action(async (files: string[], { into, ...flags }: Omit<ImportFlags, 'dataset'> & { readonly into?: string }) => {
      const { importData } = await import('./datasets.ts')
      await importData(context(), files, { ...flags, ...(into !== undefined && { dataset: into }) })
    })
  data
    .command('show')
    .description('list the datasets, or show one with its quality')
    .argument('[dataset]', 'ds_…')
    .option('--version <n>', 'this version in place of the newest', version)
    .action(async (dataset: string | undefined, flags: VersionFlags) => {
      const { showData } = await import('./datasets.ts')
      await showData(context(), dataset, flags)
    })
  data
    .command('split')
    .description('split a dataset anew; what was once held out stays held out')
    .argument('<dataset>', 'ds_…')
    .option('--ratio <number>', 'share of the rows to learn from', parseAmount)
    .option('--seed <text>', 'a seed in place of that of the rows')
    .action(async (dataset: string, flags: SplitFlags) => {
      const { splitData } = await import('./datasets.ts')
      await splitData(context(), dataset, flags)
    })
  data
    .command('diff')
    .description('compare two versions of a dataset')
    .argument('<dataset>', 'ds_…')
    .option('--from <n>', 'the version before the newest when absent', version)
    .option('--to <n>', 'the newest when absent', version)
    .action(async (dataset: string, flags: { readonly from?: number; readonly to?: number }) => {
      const { diffData } = await import('./datasets.ts')
      await diffData(context(), dataset, flags)
    })
  data
    .command('export')
    .description('write the rows of a dataset to a file')
    .argument('<dataset>', 'ds_…')
    .addOption(new Option('--format <format>', 'form of the file').choices(EXPORT_FORMATS).default('jsonl'))
    .addOption(new Option('--side <side>', 'rows of one side alone').choices(SIDES))
    .option('--version <n>', 'this version in place of the newest', version)
    .option('-o, --output <file>', 'the file to write')
    .option('--force', 'replace an existing file')
    .action(async (dataset: string, flags: ExportFlags) => {
      const { exportData } = await import('./datasets.ts')
      await exportData(context(), dataset, flags)
    })
}
