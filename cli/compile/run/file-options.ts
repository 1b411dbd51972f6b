import { Option, type Command } from 'commander'
import { RECEIPT_KINDS } from '../../../core/compile/wire/artifacts/receipt-kinds.ts'
import { addInputOptions } from '../files/mapping-options.ts'

/** Adds the options of files to `svc run`. */
export function addFileOptions(command: Command): Command {
  return addInputOptions(
    command
      .option('--csv <file>', 'run every row of a file: .csv, .tsv, .jsonl, .json or .xlsx')
      .option('--out <file>', 'where to write the answers: .csv or .jsonl')
      .option('--resume', 'continue an interrupted run, and fail when there is none')
      .option('--force', 'replace the output file, and start over')
      .addOption(
        new Option('--receipts <kind>', 'one receipt for all rows, or one in each').choices([...RECEIPT_KINDS]),
      ),
  )
}
