/** Audit actions of provider keys and the control center. */
export const GATEWAY_ACTIONS = [
  'provider_key.stored',
  'provider_key.deleted',
  'namespace.configured',
  'control.event_received',
  'control.manifest_validated',
  'control.export_declared',
  'capture.reviewed',
  'capture.redacted',
  'capture.forgotten',
  'capture.exported',
  'capture.month_removed',
] as const
