import { refuseExperts } from '../../config/experts-config.ts'
import type { EngineOptions, TrainingEngine } from './engine.ts'
import { PerLayerEngine } from './per-layer-engine.ts'
import { WholeGraphEngine } from './whole-graph-engine.ts'

/** `whole` is one graph for everything; `layers` recomputes activations layer by layer and needs far less memory. */
export type EngineVariant = 'whole' | 'layers'

/**
 * An engine for one base and one set of trainable tensors; its graphs are built as buckets come up. Throws
 * `unsupported_architecture` for experts.
 */
export function createTrainingEngine(options: EngineOptions & { readonly variant?: EngineVariant }): TrainingEngine {
  refuseExperts(options.config, 'training')
  return options.variant === 'layers' ? new PerLayerEngine(options) : new WholeGraphEngine(options)
}
