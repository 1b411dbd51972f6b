/** Audit actions of provider keys and the control center. Each with its words for people, which follow the actor. */
export const GATEWAY_ACTIONS = {
  'provider_key.stored': 'stored a provider key',
  'provider_key.deleted': 'deleted a provider key',
  'control.event_received': 'received an event of the control center',
  'control.manifest_validated': 'validated a manifest of the control center',
  'control.export_declared': 'declared an export of the control center',
} as const
