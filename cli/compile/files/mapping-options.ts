import { Option, type Command } from 'commander'
import { ENCODINGS, type EncodingName, type TableMapping } from '../../../core/compile/rows/table/mapping.ts'
import { EMPTY_ANSWERS, type EmptyAnswers } from '../../../core/compile/rows/intake/unanswered.ts'
import { CliError, toCliError, usageError } from '../../cli-error.ts'

/** Words for delimiters that a shell makes hard to write. */
const DELIMITERS: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  '\\t': '\t',
  pipe: '|',
  space: ' ',
}
/** Other names of encodings. */
const ALIASES: Readonly<Record<string, EncodingName>> = {
  utf8: 'utf-8',
  'utf-16': 'utf-16le',
  utf16: 'utf-16le',
  latin1: 'iso-8859-1',
  latin9: 'iso-8859-15',
  cp1252: 'windows-1252',
  ansi: 'windows-1252',
  sjis: 'shift_jis',
}

/** Flags that say how a file becomes examples. */
export interface MappingFlags {
  readonly input?: readonly string[]
  readonly output?: string
  readonly sheet?: string
  readonly delimiter?: string
  readonly encoding?: string
  readonly header?: boolean
  readonly ragged?: 'refuse' | 'skip'
  readonly totals?: 'keep' | 'skip'
  readonly types?: 'auto' | 'text'
  readonly emptyAnswers?: EmptyAnswers
}

/** Adds the flags to `svc compile`. */
export function addMappingOptions(command: Command): Command {
  return addInputOptions(command)
    .option('--output <column>', 'the column of the answer (default: guessed)')
    .addOption(new Option('--ragged <how>', 'rows with another number of cells').choices(['refuse', 'skip']))
    .addOption(new Option('--totals <how>', 'a last row that is likely a total').choices(['keep', 'skip']))
    .addOption(
      new Option(
        '--empty-answers <how>',
        'rows without an answer: kept as inputs and not learned from (default), left out, or answers that are empty texts',
      ).choices(EMPTY_ANSWERS),
    )
}

/** Adds the flags that also say how rows are read that have no answer. */
export function addInputOptions(command: Command): Command {
  return command
    .option('--input <column>', 'an input column; repeat it for several (default: guessed)', collect)
    .option(
      '--sheet <name>',
      'sheet of a workbook, by name or number (default: the first with several rows; for examples, also several columns)',
    )
    .option('--delimiter <character>', 'between cells: a character, comma, semicolon, tab, pipe or space')
    .option('--encoding <name>', `of a text file: ${ENCODINGS.slice(0, 5).join(', ')}, …`)
    .option('--header', 'the first row holds names')
    .option('--no-header', 'the first row is a row like the others')
    .addOption(
      new Option('--types <how>', 'cells as numbers and booleans by column, or texts').choices(['auto', 'text']),
    )
}

/** Converts the flags into `mapping` of the request; undefined when none is given. Throws `CliError`. */
export function mappingOf(flags: MappingFlags): TableMapping | undefined {
  const { input, output, sheet, delimiter, encoding, header, ragged, totals, types, emptyAnswers } = flags
  const mapping: TableMapping = {
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(sheet !== undefined && { sheet }),
    ...(delimiter !== undefined && { delimiter: DELIMITERS[delimiter.toLowerCase()] ?? delimiter }),
    ...(encoding !== undefined && { encoding: encodingOf(encoding) }),
    ...(header !== undefined && { header }),
    ...(ragged !== undefined && { ragged }),
    ...(totals !== undefined && { totals }),
    ...(types !== undefined && { types }),
    ...(emptyAnswers !== undefined && { empty_answers: emptyAnswers }),
  }
  return Object.keys(mapping).length === 0 ? undefined : mapping
}

const FIELDS = 'input|output|sheet|delimiter|encoding|header|ragged|totals|types|empty_answers'
/** A field of the mapping as messages of the service name it: `mapping.input`, `sheet` or `ragged: "skip"` in backticks. */
const FIELD = new RegExp(`\\bmapping\\.(${FIELDS})\\b|\`(${FIELDS})(?:: "(\\w+)")?\``, 'g')

/** Returns a message about a file with the flags of this tool in place of the fields of the mapping. */
export function inFlags(message: string): string {
  return message.replaceAll(FIELD, (_, path?: string, field?: string, value?: string) => {
    const flag = `--${(path ?? field ?? '').replace('_', '-')}`
    return value === undefined ? flag : `${flag} ${value}`
  })
}

/** Does work on a file; its error names flags in place of fields. */
export async function namingFlags<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { message, exitCode, code, details } = toCliError(error)
    throw new CliError(inFlags(message), { exitCode, code, details, cause: error })
  }
}

function encodingOf(name: string): EncodingName {
  const folded = name.toLowerCase()
  const found = ALIASES[folded] ?? ENCODINGS.find((one) => one === folded)
  if (found === undefined) throw usageError(`--encoding: ${name} is not one of ${ENCODINGS.join(', ')}`)
  return found
}

function collect(name: string, names: readonly string[] = []): readonly string[] {
  return [...names, name]
}
