/** Audit actions of compile jobs, artifacts, exports, concepts and share links. */
export const COMPILE_ACTIONS = [
  'compile.created',
  'compile.completed',
  'compile.gated',
  'compile.accepted',
  'compile.acceptance_failed',
  'compile.failed',
  'compile.cancelled',
  'compile.question_answered',
  'artifact.downloaded',
  'export.created',
  'export.succeeded',
  'export.failed',
  'export.downloaded',
  'concept.deleted',
  'share_link.created',
  'share_link.revoked',
] as const
