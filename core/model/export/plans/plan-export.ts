import { refuseExperts } from '../../config/experts-config.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import type { ModelConfig } from '../../config/model-config.ts'
import { chooseExport, isWrittenTarget, type ExportTarget } from '../targets.ts'
import { recipeOf, type Recipe } from './commands.ts'
import { findLevel, QUANT_LEVELS } from './levels.ts'
import { outputBytes } from './sizes.ts'

/** Requirements and steps of a conversion. */
export interface ExportPlan {
  readonly target: ExportTarget
  readonly quant: string
  /** False when `POST /v1/exports` writes the file; true when this is all that there is. */
  readonly isPlanOnly: boolean
  readonly outputBytes: number
  readonly recipe: Recipe
  /** The first thing to do. */
  readonly hint: string
  readonly notes: readonly string[]
}

/**
 * Plans the conversion of a base with its adapter: for formats that the service writes, the request for the file; for
 * others, the commands that make it from a written file. Throws `unknown_quant`.
 */
export function planExport(config: ModelConfig, target: ExportTarget, quant: string | null): ExportPlan {
  refuseExperts(config, 'an export')
  const level = findLevel(target, quant)
  if (level === undefined) {
    throw MODEL_ERRORS.unknown_quant(`quant: ${target} is stored as one of ${QUANT_LEVELS[target].join(', ')}`, {
      details: {
        fields: [{ field: 'quant', message: 'is not known for this target' }],
        known: [...QUANT_LEVELS[target]],
      },
    })
  }
  const bytes = outputBytes(config, target, level)
  if (isWrittenTarget(target) && chooseExport(target, level, 'merged') !== undefined) {
    const ask = `POST /v1/exports {"artifact_id": "...", "target": "${target}", "quant": "${level}"}`
    return {
      target,
      quant: level,
      isPlanOnly: false,
      outputBytes: bytes,
      recipe: { ...WRITTEN, runtimes: RUNTIMES[target] },
      hint: ask,
      notes: ['The service writes this file itself.', 'The size is that of the tensors; the tokenizer comes on top.'],
    }
  }
  const recipe = recipeOf(target, level, config.contextLength)
  const source = target === 'gguf' ? 'gguf in F16' : target === 'onnx' && level === 'int8' ? 'onnx' : 'mlx'
  return {
    target,
    quant: level,
    isPlanOnly: true,
    outputBytes: bytes,
    recipe,
    hint: recipe.commands.join('\n'),
    notes: [
      'This is a plan: the service does not make this file, and the commands have not been run here.',
      `They begin with the artifact exported as ${source} by POST /v1/exports.`,
      'The size is estimated from the shapes of the weights; the tokenizer comes on top.',
    ],
  }
}

const WRITTEN = {
  commands: [],
  tools: 'none',
  requiresGpu: false,
  hardware: 'none: the service converts on its own processors',
  calibration: null,
} as const

const RUNTIMES = { gguf: ['llama.cpp'], onnx: ['onnxruntime', 'transformers.js', 'optimum'], mlx: ['mlx-lm'] } as const
