import { MODEL_ERRORS } from '../../errors.ts'
import type { JsonObject } from '../../../kernel/json/json.ts'
import { ClassifierRecipe } from '../../classifier/classifier-recipe.ts'
import { decodeLayer } from '../../classifier/weights.ts'
import { encodeJsonMember } from '../base-texts.ts'
import { plainMember, type ExportFile } from '../export-file.ts'
import { zipMembers } from '../zip-members.ts'
import { classifierGraph } from './graph.ts'

/** A classifier as the archive holds it. */
export interface ClassifierSource {
  /** Becomes the name of the file, without its extension. */
  readonly name: string
  readonly artifactId: string
  readonly cid: string
  readonly recipe: JsonObject
  readonly weights: Uint8Array
}

const README = `# Classifier in ONNX

- \`model.onnx\`: inputs \`feature_hashes\` (int64 [n]) and \`feature_values\` (float32 [n]) of one input; outputs
  \`probabilities\` (float32 [labels]), \`label\` (int64 [1], a place in \`labels\`), \`confidence\` (float32 [1]) and
  \`answered\` (bool [1]: false means no answer).
- \`labels.json\`: the answers, in the order of the probabilities.
- \`recipe.json\`: which features the input is read for (\`features\`), temperature and threshold.

How a text becomes hashes: section 3 of the classifier format (\`svc-classifier-1\`). Give every distinct hash once; its
value is 1 + ln(count), and all values are divided by the square root of the sum of their squares. Hashes that the
weights do not have count in that sum too; the graph leaves them out by itself.
`

/** Bytes of the graph of a classifier, from its weights. Throws `recipe_failed` when they are not well formed. */
export function classifierBytes(weights: Uint8Array): number {
  return classifierGraph({ layer: decodeLayer(weights), temperature: 1, threshold: 0 }).length
}

/** A classifier as a zip with an ONNX graph and its labels. Throws `recipe_failed` when recipe and weights do not fit. */
export function exportClassifier(source: ClassifierSource): ExportFile {
  const recipe = ClassifierRecipe.safeParse(source.recipe)
  const layer = decodeLayer(source.weights)
  if (!recipe.success || recipe.data.labels.length !== layer.labels) {
    throw MODEL_ERRORS.recipe_failed('classifier recipe and weights do not belong together')
  }
  const { labels, temperature, threshold } = recipe.data
  const members = [
    plainMember('model.onnx', classifierGraph({ layer, temperature, threshold })),
    plainMember('labels.json', encodeJsonMember({ labels })),
    plainMember('recipe.json', encodeJsonMember(source.recipe)),
    plainMember('README.md', new TextEncoder().encode(README)),
    plainMember(
      'svc-export.json',
      encodeJsonMember({ spec: 'svc-export-1', artifact_id: source.artifactId, cid: source.cid, target: 'onnx' }),
    ),
  ]
  return {
    fileName: `${source.name}-fp32-onnx.zip`,
    mediaType: 'application/zip',
    pieces: () => zipMembers(members),
  }
}
