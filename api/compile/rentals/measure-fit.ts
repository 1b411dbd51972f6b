import type { NegativeExample } from '../../../core/compile/rows/intake/example.ts'
import { readDataset } from '../../../core/compile/rows/intake/dataset.ts'
import { HOLDOUT_SHARE } from '../../../core/compile/stages/lora/estimate-fit.ts'
import { sampleSize, type FitSize } from '../../../core/compile/stages/rentals/quote/quote.ts'
import { NO_BASE } from '../../../core/compile/stages/lora/lora-options.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { inSlices, loopTurn } from '../../../core/kernel/threads/fair/in-slices.ts'
import { scanText } from '../../../core/gateway/gate/privacy/scan/scan-text.ts'
import type { SensitiveClass } from '../../../core/gateway/gate/privacy/classes.ts'
import type { ModelConfig } from '../../../core/model/config/model-config.ts'
import { countParameters } from '../../../core/model/config/weight-names.ts'
import { readBaseTokenizer } from '../../../core/model/files/base-tokenizer.ts'
import { readBaseConfig } from '../../../core/model/files/inspect-base.ts'
import { defaultHyperparameters } from '../../../core/model/training/hyperparameters.ts'
import { createPromptEncoder, promptFormatFor, valueText } from '../../../core/model/training/prompt.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { findKnown } from '../submit/choices.ts'
import type { CheckedDataset } from '../submit/dataset.ts'

/** Rows and characters whose tokens are counted for a quote. */
const PIECE_BYTES = 16 * 1024
const COUNTED_ROWS = 200
const COUNTED_CHARS = 256 * 1024

/** The base of a fit, as far as a quote needs it. */
export interface QuotedBase {
  readonly parametersB: number
  /** Null for a base that is known by name only. */
  readonly folder: { readonly directory: string; readonly config: ModelConfig } | null
}

/** Size of a base in its name, billions of parameters; 3 where it has none (the specification's cloud quote). */
function sizeInName(name: string | undefined): number {
  const [, size] = /(\d+(?:\.\d+)?)b\b/i.exec(name ?? '') ?? []
  return size === undefined ? 3 : Number(size)
}

/**
 * Finds the base of a quote. Without rows a base need not be installed: its size is read from its name. Throws
 * `unknown_base_model`, `invalid_model` and `unsupported_architecture`.
 */
export async function quotedBase(
  name: string | undefined,
  folders: readonly string[],
  hasRows: boolean,
): Promise<QuotedBase> {
  if (!hasRows) return { parametersB: sizeInName(name), folder: null }
  const directory = await findKnown(name ?? NO_BASE, folders)
  const config = await readBaseConfig(directory)
  return { parametersB: countParameters(config) / 1e9, folder: { directory, config } }
}

/** Counts the tokens of rows with the tokenizer of their base; of many rows, those of the first. */
export async function measureFit(
  dataset: CheckedDataset | null,
  { folder }: QuotedBase,
  epochs: number | undefined,
): Promise<FitSize> {
  if (dataset === null || folder === null) return { ...sampleSize(), ...(epochs !== undefined && { epochs }) }
  const { config, directory } = folder
  const { tokenizer, chatTemplate } = await readBaseTokenizer(directory, config)
  const [endTokenId] = config.eosTokenIds
  if (endTokenId === undefined) throw MODEL_ERRORS.invalid_model('the base defines no token that ends an answer')
  const encoder = createPromptEncoder(promptFormatFor({ chatTemplate }), { tokenizer, chatTemplate, endTokenId })
  const rows = await firstRows(dataset)
  let tokens = 0
  await inSlices(rows, ({ input, output }) => {
    const length = encoder.prompt(input).length + encoder.answer(output).length
    tokens += Math.min(config.contextLength, length)
  })
  const trainRows = Math.max(1, Math.floor(dataset.rows * (1 - HOLDOUT_SHARE)))
  const perPass = (tokens / Math.max(1, rows.length)) * trainRows
  const defaults = defaultHyperparameters({
    rows: trainRows,
    tokens: perPass,
    contextLength: config.contextLength,
    hiddenSize: config.hiddenSize,
  })
  return { tokens: perPass, epochs: epochs ?? defaults.epochs, countedRows: rows.length, rows: dataset.rows }
}

async function firstRows(dataset: CheckedDataset): Promise<readonly { readonly input: Json; readonly output: Json }[]> {
  const rows: { readonly input: Json; readonly output: Json }[] = []
  let chars = 0
  for await (const example of readDataset(chunksOf(dataset.read()))) {
    if (example.kind !== 'positive') continue
    const { input, output } = example.row
    chars += valueText(input).length + valueText(output).length
    rows.push({ input, output })
    if (rows.length >= COUNTED_ROWS || chars >= COUNTED_CHARS) break
  }
  return rows
}

/** Finds which classes of sensitive text the rows of a fit hold, and in how many. Unlabelled inputs do not leave. */
export async function sensitiveRows(
  dataset: CheckedDataset,
): Promise<{ readonly rows: number; readonly classes: readonly SensitiveClass[] }> {
  const classes = new Set<SensitiveClass>()
  let rows = 0
  for await (const example of readDataset(chunksOf(dataset.read()))) {
    if (example.kind === 'unlabelled') continue
    const values = example.kind === 'positive' ? [example.row.input, example.row.output] : negativesOf(example.negative)
    const finds = values.flatMap((value) => scanText(valueText(value)))
    if (finds.length === 0) continue
    rows++
    for (const find of finds) classes.add(find.kind)
  }
  return { rows, classes: [...classes].toSorted() }
}

function negativesOf(negative: NegativeExample): readonly Json[] {
  return [negative.input, negative.notOutput]
}

/** Pieces of a dataset; other calls get their turn between two of them. */
async function* chunksOf(bytes: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = bytes instanceof Uint8Array ? [bytes] : bytes
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += PIECE_BYTES) {
      yield piece.subarray(at, at + PIECE_BYTES)
      await loopTurn()
    }
  }
}
