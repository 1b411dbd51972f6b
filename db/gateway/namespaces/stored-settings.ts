import { completed, knownTargets, NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'

/** A namespace and its settings. */
export interface NamespaceEntry {
  readonly namespace: string
  readonly settings: NamespaceSettings
  readonly updatedAt: Date | null
}

/** The document that is stored of settings. */
export function documentOf(settings: NamespaceSettings): JsonObject {
  const document: JsonObject = JSON.parse(JSON.stringify(settings))
  return document
}

/**
 * Reads a stored document: settings that a newer version added have their defaults, and models of an unknown provider,
 * which an older version took, are left out.
 */
export function readStored(document: JsonObject): NamespaceSettings {
  const settings = completed(document)
  return NamespaceSettings.parse({ ...settings, route_chain: knownTargets(settings.route_chain) })
}
