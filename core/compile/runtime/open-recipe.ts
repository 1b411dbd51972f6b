import { COMPILE_ERRORS } from '../errors.ts'
import { hashJson, type Sha256 } from '../../kernel/json/json.ts'
import { classifierRunner } from './runners/classifier-runner.ts'
import { compositeRunner } from './composite/composite-runner.ts'
import { ADAPTER_FILES, inspectAdapter } from '../../model/files/adapter-files.ts'
import type { RecipeEntry } from '../archive/members/documents.ts'
import { parseProgram } from '../language/parse.ts'
import { agreementRunner, type Alternative } from './certificate/agreement.ts'
import { programRunner } from '../language/runner.ts'
import type { LoraRecipe } from '../stages/lora/lora-recipe.ts'
import type { Runner } from './recipe.ts'
import { tabularRunner } from './runners/tabular-runner.ts'

/** A recipe that runs without a base. */
export interface PureRecipe {
  readonly kind: 'pure'
  readonly runner: Runner
}

/** An adapter that was checked as far as it can be without its base. */
export interface AdapterRecipe {
  readonly kind: 'lora'
  readonly recipe: LoraRecipe
  /** PEFT's two files, by their names. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Of the bytes of both files. */
  readonly adapterHash: Sha256
}

/** A recipe of an archive, opened; `startRecipe` makes one run that needs a base. */
export type OpenedRecipe = PureRecipe | AdapterRecipe

/**
 * Opens a recipe of `recipes.json` with the members that lie beside it; the alternatives of a program are those of its
 * certificate. Throws when it is not well formed or its weights
 * are missing.
 */
export function openRecipe(
  entry: RecipeEntry,
  members: ReadonlyMap<string, Uint8Array>,
  alternatives: readonly Alternative[] = [],
): OpenedRecipe {
  if (entry.kind === 'program') {
    return { kind: 'pure', runner: agreementRunner(programRunner(parseProgram(entry.program)), alternatives) }
  }
  if (entry.kind === 'classifier') {
    return { kind: 'pure', runner: classifierRunner(entry.classifier, takeMember(members, 'weights.bin')) }
  }
  if (entry.kind === 'composite') return { kind: 'pure', runner: compositeRunner(entry.composite, members) }
  if (entry.kind === 'tabular') {
    return { kind: 'pure', runner: tabularRunner(entry.tabular, takeMember(members, 'weights.bin')) }
  }
  const files = new Map(ADAPTER_FILES.map((name) => [name, takeMember(members, name)]))
  inspectAdapter(files)
  const adapterHash = hashJson([entry.adapter.config.sha256, entry.adapter.weights.sha256])
  return { kind: 'lora', recipe: entry.lora, files, adapterHash }
}

function takeMember(members: ReadonlyMap<string, Uint8Array>, name: string): Uint8Array {
  const bytes = members.get(name)
  if (bytes !== undefined) return bytes
  throw COMPILE_ERRORS.invalid_archive(`${name} is missing`, { details: { reason: 'missing_member' } })
}
