import { HOLDOUT_SHARE } from '../../lora/estimate-fit.ts'
import type { Json } from '../../../../kernel/json/json.ts'
import { inSlices } from '../../../../kernel/threads/fair/in-slices.ts'
import type { ModelConfig } from '../../../../model/config/model-config.ts'
import { countParameters } from '../../../../model/config/weight-names.ts'
import { MODEL_ERRORS } from '../../../../model/errors.ts'
import { readBaseTokenizer } from '../../../../model/files/base-tokenizer.ts'
import { readBaseConfig } from '../../../../model/files/inspect-base.ts'
import { defaultHyperparameters } from '../../../../model/training/hyperparameters.ts'
import { createPromptEncoder, promptFormatFor, valueText } from '../../../../model/training/prompt.ts'
import { datasetChunks } from '../../../rows/dataset-chunks.ts'
import { readDataset } from '../../../rows/intake/dataset.ts'
import { sampleSize, type FitSize } from './quote.ts'

/** Rows and characters whose tokens are counted for a quote. */
const COUNTED_ROWS = 200
const COUNTED_CHARS = 256 * 1024

/** The base of a fit, as far as a quote needs it. */
export interface QuotedBase {
  readonly parametersB: number
  /** Null for a base that is known by name only. */
  readonly folder: { readonly directory: string; readonly config: ModelConfig } | null
}

/** Rows whose fit is quoted. */
export interface QuotedRows {
  readonly rows: number
  read(): Uint8Array | AsyncIterable<Uint8Array>
}

/** Reads the base in a folder. Throws `invalid_model` and `unsupported_architecture`. */
export async function readQuotedBase(directory: string): Promise<QuotedBase> {
  const config = await readBaseConfig(directory)
  return { parametersB: countParameters(config) / 1e9, folder: { directory, config } }
}

/** Counts the tokens of rows with the tokenizer of their base; of many rows, those of the first. */
export async function measureFit(
  dataset: QuotedRows | null,
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

async function firstRows(dataset: QuotedRows): Promise<readonly { readonly input: Json; readonly output: Json }[]> {
  const rows: { readonly input: Json; readonly output: Json }[] = []
  let chars = 0
  for await (const example of readDataset(datasetChunks(dataset.read()))) {
    if (example.kind !== 'positive') continue
    const { input, output } = example.row
    chars += valueText(input).length + valueText(output).length
    rows.push({ input, output })
    if (rows.length >= COUNTED_ROWS || chars >= COUNTED_CHARS) break
  }
  return rows
}
