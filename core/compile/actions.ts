/** Audit actions of compile jobs, artifacts, exports, concepts and share links. Each with its words for people, which follow the actor. */
export const COMPILE_ACTIONS = {
  'compile.created': 'started a compile',
  'compile.completed': 'signed an artifact',
  'compile.gated': 'ended a compile as gated',
  'compile.accepted': 'accepted a gated compile',
  'compile.acceptance_failed': 'could not sign an accepted candidate',
  'compile.failed': 'ended a compile as failed',
  'compile.cancelled': 'cancelled a compile',
  'compile.question_answered': 'answered a question of a compile',
  'artifact.downloaded': 'downloaded an artifact',
  'export.created': 'started an export',
  'export.succeeded': 'finished an export',
  'export.failed': 'could not finish an export',
  'export.downloaded': 'downloaded an export',
  'concept.deleted': 'deleted a concept',
  'share_link.created': 'created a share link',
  'share_link.revoked': 'ended a share link',
} as const
