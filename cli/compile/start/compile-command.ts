import { type Command, Option } from 'commander'
import { ON_DOUBT } from '../../../core/compile/runtime/certificate/risk.ts'
import type { CliContext } from '../../context.ts'
import { parseShare, wholeNumber } from '../../number-option.ts'
import type { CompileFlags } from './compile.ts'
import { EXAMPLE_FORMATS } from '../files/example-formats.ts'
import { addMappingOptions } from '../files/mapping-options.ts'
import { readTolerance } from './tolerance-option.ts'
import { addFitOptions } from '../train/fit-options.ts'

/** Adds `svc compile`. */
export function addCompileCommand(
  program: Command,
  context: () => CliContext,
  setExitCode: (code: number) => void,
): void {
  addFitOptions(addMappingOptions(program.command('compile')))
    .description('compile examples, and watch until it is done')
    .argument('[file]', 'examples: .csv, .tsv, .xlsx, .json or .jsonl; - is standard input', '-')
    .option('--preview', 'show columns, types, duplicates and contradictions as a compile would read them, and stop')
    .option('-t, --task <text>', 'the task in words')
    .addOption(new Option('--format <format>', 'format of the examples').choices([...EXAMPLE_FORMATS]))
    .option('--floor <k>', 'gate the job below this K-score, 0 to 1', parseShare)
    .option(
      '--tolerance <bound>',
      'count numbers as right within this of the expected one: 50, 5%, or minutes=10 for a member; repeat it for more',
      readTolerance,
    )
    .option('--max-error <share>', 'certify that at most this share of the given answers is wrong', parseShare)
    .option('--confidence <share>', 'probability with which that holds (0.9)', parseShare)
    .addOption(
      new Option('--on-doubt <behaviour>', 'what a run does when the answer is in doubt').choices([...ON_DOUBT]),
    )
    .option('--concept <id>', 'create a new version of this concept')
    .addOption(
      new Option('--ask [n]', 'answer up to n questions (2) in the terminal, about unlabelled inputs')
        .preset('2')
        .argParser(wholeNumber(1, 20)),
    )
    .option('--from <job>', 'compile the examples of an earlier job again, with changed or added ones (.json, .jsonl)')
    .option('--remove <id...>', 'with --from: leave these examples out')
    .option('--from-captures <namespace>', 'compile the approved captures of a namespace in place of a file')
    .option('--dataset <id>', 'compile the rows of a dataset in place of a file; its held-out rows score')
    .option('--dataset-version <n>', 'its version (default: the newest)', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option('--deploy-hook <url>', 'tell this https address of the artifact; prints the secret that signs the message')
    .option('--async', 'return as soon as the job is queued')
    .option('-o, --out <file>', 'download the archive when it is ready')
    .option('-f, --force', 'overwrite an existing --out file without asking')
    .action(async (file: string, options: CompileFlags) => {
      const { compile } = await import('./compile.ts')
      setExitCode(await compile(context(), file, options))
    })
}
