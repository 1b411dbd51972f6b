import { MODEL_ERRORS } from '../errors.ts'
import type { ConfigFields } from './config-fields.ts'
import type { RopeScaling } from './model-config.ts'

const CONTEXT = { min: 1, max: 2 ** 24 }

/**
 * Reads the settings of the rotary embedding: `rope_parameters` as transformers 5 writes it (theta and kind in one
 * object), or the older `rope_theta` and `rope_scaling`. Kind `dynamic` changes nothing within config.json's context,
 * the longest that is computed here, so it is read as none. Throws `unsupported_architecture` that names another kind,
 * `invalid_model` for invalid numbers.
 */
export function readRope(config: ConfigFields): { readonly theta: number; readonly scaling: RopeScaling } {
  const parameters = config.fields('rope_parameters')
  const theta = (parameters?.value('rope_theta') === undefined ? config : parameters).positive('rope_theta', 10_000)
  for (const fields of [config, parameters]) {
    if ((fields?.value('partial_rotary_factor') ?? 1) !== 1) {
      throw MODEL_ERRORS.unsupported_architecture('partial_rotary_factor other than 1 is not supported')
    }
  }
  const scaling = parameters ?? config.fields('rope_scaling')
  return { theta, scaling: scaling === undefined ? { type: 'none' } : readScaling(scaling) }
}

function readScaling(fields: ConfigFields): RopeScaling {
  const type = fields.text('rope_type', fields.text('type', 'default'))
  switch (type) {
    case 'default':
    case 'dynamic':
      return { type: 'none' }
    case 'linear':
      return { type: 'linear', factor: fields.positive('factor') }
    case 'llama3':
      return readLlama3(fields)
    default:
      throw MODEL_ERRORS.unsupported_architecture(
        `rotary scaling ${type} is not supported; default, linear, dynamic and llama3 are`,
      )
  }
}

function readLlama3(fields: ConfigFields): RopeScaling {
  const lowFreqFactor = fields.positive('low_freq_factor')
  const highFreqFactor = fields.positive('high_freq_factor')
  if (highFreqFactor <= lowFreqFactor) throw fields.refuse('high_freq_factor', 'has to be above low_freq_factor')
  return {
    type: 'llama3',
    factor: fields.positive('factor'),
    lowFreqFactor,
    highFreqFactor,
    originalContext: fields.integer('original_max_position_embeddings', CONTEXT),
  }
}
