import { canonicalJson, hashJson, sha256, type Sha256 } from '../../kernel/json/json.ts'
import { isLeafMember } from '../runtime/composite/places.ts'
import type { ContentMembers, RecipeSource } from './members/content.ts'
import { refuse } from './zip/refusal.ts'

/** The size that the size axis counts: bytes of the recipe in canonical JSON and of its weights, uncompressed. */
export function sizeOf(source: RecipeSource): number {
  switch (source.kind) {
    case 'program':
      return Buffer.byteLength(canonicalJson(source.recipe))
    case 'classifier':
    case 'tabular':
      return Buffer.byteLength(canonicalJson(source.recipe)) + source.weights.length
    case 'composite': {
      const weights = [...source.leafWeights.values()].reduce((sum, { length }) => sum + length, 0)
      return Buffer.byteLength(canonicalJson(source.recipe)) + weights
    }
    case 'lora': {
      const { config, weights } = source.adapter
      return Buffer.byteLength(canonicalJson({ ...source.recipe })) + config.length + weights.length
    }
  }
}

/** The identity of a candidate: hash of its recipe, and of its weights unless the recipe names their digests. */
export function hashOf(source: RecipeSource): Sha256 {
  if (source.kind === 'program' || source.kind === 'composite') return hashJson(source.recipe)
  if (source.kind === 'lora') {
    return hashJson({ recipe: hashJson({ ...source.recipe }), weights: sha256(source.adapter.weights) })
  }
  return hashJson({ recipe: hashJson(source.recipe), weights: sha256(source.weights) })
}

/** The recipe of content members with the bytes beside it, as it was before it was packed. */
export function recipeSource({ recipe, members }: Pick<ContentMembers, 'recipe' | 'members'>): RecipeSource {
  const bytesOf = (name: 'weights.bin' | 'adapter_config.json' | 'adapter_model.safetensors'): Uint8Array => {
    const bytes = members.get(name)
    if (bytes === undefined) throw refuse('missing_member', { member: name })
    return bytes
  }
  switch (recipe.kind) {
    case 'program':
      return { kind: 'program', recipe: recipe.program }
    case 'classifier':
      return { kind: 'classifier', recipe: recipe.classifier, weights: bytesOf('weights.bin') }
    case 'tabular':
      return { kind: 'tabular', recipe: recipe.tabular, weights: bytesOf('weights.bin') }
    case 'composite':
      return {
        kind: 'composite',
        recipe: recipe.composite,
        leafWeights: new Map([...members].filter(([name]) => isLeafMember(name))),
      }
    case 'lora': {
      const adapter = { config: bytesOf('adapter_config.json'), weights: bytesOf('adapter_model.safetensors') }
      return { kind: 'lora', recipe: recipe.lora, adapter }
    }
  }
}
