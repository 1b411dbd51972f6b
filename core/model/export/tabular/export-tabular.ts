import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import { openTabular } from '../../tabular/recipe/open-tabular.ts'
import { encodeJsonMember } from '../base-texts.ts'
import { plainMember, type ExportFile } from '../export-file.ts'
import { zipMembers } from '../zip-members.ts'
import { tabularGraph } from './graph.ts'

/** A tabular model as the archive holds it. */
export interface TabularSource {
  /** Becomes the name of the file, without its extension. */
  readonly name: string
  readonly artifactId: string
  readonly cid: string
  readonly recipe: JsonObject
  readonly weights: Uint8Array
}

const README = `# Tabular model in ONNX

- \`model.onnx\`: input \`features\` (float64 [batch, features], NaN for a missing value); its trees are the operator
  \`TreeEnsemble\` of \`ai.onnx.ml\` 5. Outputs of a label: \`probabilities\`, \`label\` (a place in \`labels\`),
  \`confidence\` and \`answered\` (false means no answer); of a list of labels: \`probabilities\`, \`included\`,
  \`confidence\` and \`answered\`; of a number: \`number\`, \`lower\` and \`upper\`.
- \`recipe.json\`: the columns that the features are read from, in their order, and the target with its labels.

How an input becomes features: section 3 of the tabular format (\`svc-tabular-1\` and \`svc-tabular-2\`).
`

/** Bytes of the graph of a tabular model. Throws `recipe_failed` when recipe and weights do not fit. */
export function tabularBytes(recipe: Json, weights: Uint8Array): number {
  const { arrays, recipe: opened } = openTabular(recipe, weights)
  return tabularGraph(arrays, opened.target).length
}

/** A tabular model as a zip with an ONNX graph and its recipe. Throws `recipe_failed` when recipe and weights do not fit. */
export function exportTabular(source: TabularSource): ExportFile {
  const { arrays, recipe } = openTabular(source.recipe, source.weights)
  const members = [
    plainMember('model.onnx', tabularGraph(arrays, recipe.target)),
    plainMember('recipe.json', encodeJsonMember(source.recipe)),
    plainMember('README.md', new TextEncoder().encode(README)),
    plainMember(
      'svc-export.json',
      encodeJsonMember({ spec: 'svc-export-1', artifact_id: source.artifactId, cid: source.cid, target: 'onnx' }),
    ),
  ]
  return {
    fileName: `${source.name}-fp64-onnx.zip`,
    mediaType: 'application/zip',
    pieces: () => zipMembers(members),
  }
}
