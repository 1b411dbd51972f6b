/**
 * Audit actions of model providers, namespaces, captures and the control center. Each with its words for people, which
 * follow the actor.
 */
export const GATEWAY_ACTIONS = {
  'provider_key.stored': 'stored a provider key',
  'provider_key.deleted': 'deleted a provider key',
  'providers.configured': 'changed the settings of model providers',
  'namespace.configured': 'changed the settings of a namespace',
  'capture.reviewed': 'reviewed captures',
  'capture.redacted': 'redacted captures',
  'capture.forgotten': 'had captures forgotten',
  'capture.exported': 'exported captures',
  'conversation.deleted': 'deleted a conversation',
  'conversation.forgotten': 'had conversations forgotten',
  'connector.requested': 'asked for a connector',
  'copyright.allowlist_changed': 'changed the list of licensed texts',
  'control.event_received': 'received an event of the control center',
  'control.manifest_validated': 'validated a manifest of the control center',
  'control.export_declared': 'declared an export of the control center',
} as const
