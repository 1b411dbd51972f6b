import type { ProviderError } from '../../providers/provider-error.ts'
import type { WireShape } from './dialect.ts'

/**
 * Returns the next request shape after a provider refused one of its fields: without that field, or with its other
 * name. Null when the refusal has another cause. Ends after at most four steps, since each removes something.
 */
export function relaxShape(shape: WireShape, error: ProviderError): WireShape | null {
  if (error.failure !== 'invalid_request') return null
  const { message } = error
  if (/max_tokens/.test(message) && shape.maxTokensField === 'max_tokens' && /max_completion_tokens/.test(message)) {
    return { ...shape, maxTokensField: 'max_completion_tokens' }
  }
  if (/max_completion_tokens/.test(message) && shape.maxTokensField === 'max_completion_tokens') {
    return { ...shape, maxTokensField: 'max_tokens' }
  }
  if (/temperature/i.test(message) && shape.sendsTemperature) return { ...shape, sendsTemperature: false }
  if (/schema|response[_ ]?format|response[_ ]?mime|json_object|tool/i.test(message) && shape.structure !== 'words') {
    return { ...shape, structure: shape.structure === 'schema' ? 'json' : 'words' }
  }
  return null
}
