import { GPU_SKUS, VRAM_TIERS, type Gpus } from '../../../../core/compile/stages/rentals/quote/reference.ts'
import { LEARN_ERRORS } from '../../../../core/learn/errors.ts'

/** Returns the GPUs that a body names. Throws `unknown_gpu_sku` and `unknown_vram_tier` with what is supported. */
export function gpusOf(sku: string, tier: string): Gpus {
  const knownSku = GPU_SKUS.find((each) => each === sku)
  if (knownSku === undefined) {
    throw LEARN_ERRORS.unknown_gpu_sku(...refusal('gpu_sku', GPU_SKUS))
  }
  const knownTier = VRAM_TIERS.find((each) => each === tier)
  if (knownTier === undefined) {
    throw LEARN_ERRORS.unknown_vram_tier(...refusal('vram_tier', VRAM_TIERS))
  }
  return { sku: knownSku, tier: knownTier }
}

function refusal(field: string, supported: readonly string[]) {
  const message = `is not one of ${supported.join(', ')}`
  return [`${field}: ${message}`, { details: { fields: [{ field, message }], supported: [...supported] } }] as const
}
