import { Tensor } from 'onnxruntime-node'
import type { ModelConfig } from '../../config/model-config.ts'
import type { RowTokens } from './row-tokens.ts'
import { expertNames } from './experts.ts'

const MASKED = -1e9

type Outputs = Readonly<Record<string, Tensor | undefined>>

/** The masks of a batch's rows as inputs of the graph; none for a dense base. */
export function expertMasks({ experts }: ModelConfig, rows: readonly RowTokens[]): Record<string, Tensor> {
  const feeds: Record<string, Tensor> = {}
  if (experts === undefined) return feeds
  const { count, layers } = experts
  for (const layer of layers) {
    const mask = new Float32Array(rows.length * count)
    for (const [row, { experts: asked }] of rows.entries()) {
      for (const expert of asked?.masked.get(layer) ?? []) mask[row * count + expert] = MASKED
    }
    feeds[expertNames(layer).mask] = new Tensor('float32', mask, [rows.length, 1, count])
  }
  return feeds
}

/** The outputs of experts that a row of the batch asks for. */
export function expertFetches({ experts }: ModelConfig, rows: readonly RowTokens[]): Record<string, null> {
  const wantsChosen = rows.some((row) => row.experts?.onChosen !== undefined)
  const wantsLogits = rows.some((row) => row.experts?.onRouted !== undefined)
  const names = (experts?.layers ?? []).flatMap((layer) => {
    const { chosen, logits } = expertNames(layer)
    return [...(wantsChosen ? [chosen] : []), ...(wantsLogits ? [logits] : [])]
  })
  return Object.fromEntries(names.map((name) => [name, null]))
}

/** Tells each row of its own new tokens; `tokens` is the length to which rows are padded. */
export function tellExperts(
  { experts }: ModelConfig,
  rows: readonly RowTokens[],
  tokens: number,
  outputs: Outputs,
): void {
  if (experts === undefined) return
  const { count, perToken } = experts
  for (const layer of experts.layers) {
    const names = expertNames(layer)
    const [chosen, logits] = [outputs[names.chosen]?.data, outputs[names.logits]?.data]
    for (const [row, { ids, experts: asked }] of rows.entries()) {
      const part = (width: number) => [row * tokens * width, (row * tokens + ids.length) * width] as const
      if (chosen instanceof BigInt64Array) asked?.onChosen?.(layer, chosen.slice(...part(perToken)))
      if (logits instanceof Float32Array) asked?.onRouted?.(layer, logits.slice(...part(count)))
    }
  }
}
