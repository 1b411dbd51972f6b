/** Origins of a document: sent with the call, or read from the tenant's workspace. */
export const DOCUMENT_ORIGINS = ['upload', 'workspace'] as const

/** States of a call that indexes files. */
export const INDEX_STATES = ['queued', 'running', 'succeeded', 'failed'] as const

/** States of one of its files: `skipped` files are unchanged, `failed` ones could not be read. */
export const FILE_STATES = ['waiting', 'indexed', 'skipped', 'failed'] as const
