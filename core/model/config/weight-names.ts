import type { ModelConfig } from './model-config.ts'

/** Begins the names of all weights but the output head's. */
export const MODEL_PREFIX = 'model.'
/** The embedding matrix, `[vocab, hidden]`. */
export const EMBEDDING = `${MODEL_PREFIX}embed_tokens.weight`
/** The output head, `[vocab, hidden]`; absent when it is tied to the embedding matrix. */
export const OUTPUT_HEAD = 'lm_head.weight'

/** The linear layers of a decoder layer, by the part that holds them. */
export const ATTENTION_PROJECTIONS = ['q_proj', 'k_proj', 'v_proj', 'o_proj'] as const
/** The linear layers of the gated MLP. */
export const MLP_PROJECTIONS = ['gate_proj', 'up_proj', 'down_proj'] as const

/** A linear layer that a low-rank adapter can sit on. */
export type Projection = (typeof ATTENTION_PROJECTIONS)[number] | (typeof MLP_PROJECTIONS)[number]

/** Names of linear layer `projection` in layer `layer`, without `.weight`: `model.layers.0.self_attn.q_proj`. */
export function projectionName(layer: number, projection: Projection): string {
  const part = ATTENTION_PROJECTIONS.some((each) => each === projection) ? 'self_attn' : 'mlp'
  return `model.layers.${layer}.${part}.${projection}`
}

/** The linear layers of layer `layer` that an adapter can sit on: a layer with experts has those of the attention. */
export function projectionsOf(config: ModelConfig, layer: number): readonly Projection[] {
  return hasExperts(config, layer) ? ATTENTION_PROJECTIONS : [...ATTENTION_PROJECTIONS, ...MLP_PROJECTIONS]
}

/** True for a layer whose MLP is a mixture of experts. */
export function hasExperts({ experts }: Pick<ModelConfig, 'experts'>, layer: number): boolean {
  return experts?.layers.includes(layer) === true
}

/** Name of the router's weight of a layer, [experts, hidden]. */
export function routerName(layer: number): string {
  return `model.layers.${layer}.mlp.gate.weight`
}

/** Name of a weight of one expert. */
export function expertName(layer: number, expert: number, projection: (typeof MLP_PROJECTIONS)[number]): string {
  return `model.layers.${layer}.mlp.experts.${expert}.${projection}.weight`
}

/** The shape of a linear layer's weight, `[out, in]` as PyTorch keeps it. */
export function projectionShape(
  config: ModelConfig,
  projection: Projection,
): readonly [outputs: number, inputs: number] {
  const { hiddenSize, intermediateSize } = config
  const queries = config.heads * config.headDim
  const keys = config.kvHeads * config.headDim
  switch (projection) {
    case 'q_proj':
      return [queries, hiddenSize]
    case 'k_proj':
    case 'v_proj':
      return [keys, hiddenSize]
    case 'o_proj':
      return [hiddenSize, queries]
    case 'gate_proj':
    case 'up_proj':
      return [intermediateSize, hiddenSize]
    case 'down_proj':
      return [hiddenSize, intermediateSize]
  }
}

/** The shapes of every weight of a base by its Hugging Face name, in the order of the computation. */
export function weightShapes(config: ModelConfig): ReadonlyMap<string, readonly number[]> {
  const shapes = new Map<string, readonly number[]>([[EMBEDDING, [config.vocabSize, config.hiddenSize]]])
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `model.layers.${layer}`
    shapes.set(`${prefix}.input_layernorm.weight`, [config.hiddenSize])
    for (const projection of ATTENTION_PROJECTIONS) addProjection(shapes, config, layer, projection)
    if (config.qkNorm) {
      shapes.set(`${prefix}.self_attn.q_norm.weight`, [config.headDim])
      shapes.set(`${prefix}.self_attn.k_norm.weight`, [config.headDim])
    }
    shapes.set(`${prefix}.post_attention_layernorm.weight`, [config.hiddenSize])
    if (hasExperts(config, layer)) addExperts(shapes, config, layer)
    else for (const projection of MLP_PROJECTIONS) addProjection(shapes, config, layer, projection)
  }
  shapes.set('model.norm.weight', [config.hiddenSize])
  if (!config.tiedEmbeddings) shapes.set(OUTPUT_HEAD, [config.vocabSize, config.hiddenSize])
  return shapes
}

/** Returns the number of a base's parameters; a tied output head counts once. */
export function countParameters(config: ModelConfig): number {
  let count = 0
  for (const shape of weightShapes(config).values()) count += shape.reduce((product, size) => product * size, 1)
  return count
}

function addExperts(shapes: Map<string, readonly number[]>, config: ModelConfig, layer: number): void {
  const { count = 0, intermediateSize = 0 } = config.experts ?? {}
  shapes.set(routerName(layer), [count, config.hiddenSize])
  for (let expert = 0; expert < count; expert++) {
    shapes.set(expertName(layer, expert, 'gate_proj'), [intermediateSize, config.hiddenSize])
    shapes.set(expertName(layer, expert, 'up_proj'), [intermediateSize, config.hiddenSize])
    shapes.set(expertName(layer, expert, 'down_proj'), [config.hiddenSize, intermediateSize])
  }
}

function addProjection(
  shapes: Map<string, readonly number[]>,
  config: ModelConfig,
  layer: number,
  projection: Projection,
): void {
  const name = projectionName(layer, projection)
  const shape = projectionShape(config, projection)
  shapes.set(`${name}.weight`, shape)
  if (hasBias(config, projection)) shapes.set(`${name}.bias`, [shape[0]])
}

function hasBias(config: ModelConfig, projection: Projection): boolean {
  switch (projection) {
    case 'q_proj':
    case 'k_proj':
    case 'v_proj':
      return config.qkvBias
    case 'o_proj':
      return config.outputBias
    case 'gate_proj':
    case 'up_proj':
    case 'down_proj':
      return config.mlpBias
  }
}
