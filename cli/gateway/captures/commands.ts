import { Option, type Command } from 'commander'
import { EXPORT_FORMATS } from '../../../core/gateway/captures/export/format-names.ts'
import { REVIEW_ACTIONS } from '../../../core/gateway/captures/review.ts'
import type { CliContext } from '../../context.ts'
import { wholeNumber } from '../../number-option.ts'
import type { ExportFlags } from './export-captures.ts'
import type { ForgetFlags } from './forget-captures.ts'
import type { ImportFlags } from './import-captures.ts'
import type { ListFlags } from './read-captures.ts'
import type { ReviewFlags } from './review-captures.ts'

/** `svc captures …`: captured calls and logged pairs. */
export function addCaptureCommands(
  program: Command,
  context: () => CliContext,
  setExitCode: (code: number) => void,
): void {
  const captures = program.command('captures').description('list, review, export, import and forget captured calls')
  withFilters(captures.command('list').description('list captures, newest first'))
    .option('--limit <n>', 'most captures to list, up to 200', wholeNumber(1, 200), 50)
    .option('--cursor <cursor>', 'go on after the page before')
    .action(async (flags: ListFlags) => {
      const { listCaptures } = await import('./read-captures.ts')
      await listCaptures(context(), flags)
    })
  captures
    .command('show')
    .description('show a capture with its prompt, its response and its place in the chain')
    .argument('<id>', 'cap_…')
    .action(async (id: string) => {
      const { showCapture } = await import('./read-captures.ts')
      await showCapture(context(), id)
    })
  captures
    .command('review')
    .description('approve, reject or quarantine captures')
    .argument('<action>', REVIEW_ACTIONS.join(', '))
    .argument('<id...>', 'cap_…')
    .option('--reason <text>', 'why, for the record')
    .option('--fixed-output <text>', 'the right output, for one capture')
    .action(async (action: string, ids: readonly string[], flags: ReviewFlags) => {
      const { reviewCaptures } = await import('./review-captures.ts')
      await reviewCaptures(context(), action, ids, flags)
    })
  withFilters(captures.command('export').description('write captures to a file, or to the terminal'))
    .addOption(new Option('-f, --format <format>', 'its form').choices(EXPORT_FORMATS).default('jsonl'))
    .option('-o, --output <file>', 'the file (default: standard output)')
    .option('--force', 'overwrite an existing file')
    .action(async (flags: ExportFlags) => {
      const { exportCaptures } = await import('./export-captures.ts')
      await exportCaptures(context(), flags)
    })
  captures
    .command('import')
    .description('store the pairs of a JSON lines file: {"input", "output"}, {"prompt", "completion"} or {"messages"}')
    .argument('<file>', 'a file of JSON lines; - for standard input')
    .option('-n, --namespace <name>', 'the namespace')
    .option('--provider <name>', 'who answered', 'manual')
    .option('--model <name>', 'the model that answered', '')
    .action(async (file: string, flags: ImportFlags) => {
      const { importCaptures } = await import('./import-captures.ts')
      await importCaptures(context(), file, flags)
    })
  captures
    .command('forget')
    .description('erase captures for good; each gets a signed certificate')
    .argument('[id...]', 'cap_…')
    .option('--subject <text>', 'all captures that hold these words, and every later call')
    .option('--pattern <pattern>', 'all that match keyword:…, glob:… or a regular expression, and every later call')
    .option('--reason <text>', 'why, for the certificate', 'user_request')
    .option('-n, --namespace <name>', 'only captures of this namespace')
    .option('--force', 'do not ask')
    .action(async (ids: readonly string[], flags: ForgetFlags) => {
      const { forgetCaptures } = await import('./forget-captures.ts')
      await forgetCaptures(context(), ids, flags)
    })
  captures
    .command('verify')
    .description('verify the chain of captures of a namespace')
    .argument('[namespace]', 'the namespace', 'default')
    .action(async (namespace: string) => {
      const { verifyCaptures } = await import('./read-captures.ts')
      await verifyCaptures(context(), namespace, setExitCode)
    })
}

function withFilters(command: Command): Command {
  return command
    .option('-n, --namespace <name>', 'of this namespace')
    .option('--status <states>', 'pending, approved, rejected, quarantined, with commas')
    .option('--source <sources>', 'gateway, log, import, and others, with commas')
    .option('--risk-min <score>', 'with this risk score at least')
    .option('--pii <classes>', 'with one of these classes of sensitive data, with commas')
    .option('--from <time>', 'from this time on, such as 2026-11-01T00:00:00Z')
    .option('--to <time>', 'before this time')
    .option('-q, --query <text>', 'with this text in the prompt or the response')
}
