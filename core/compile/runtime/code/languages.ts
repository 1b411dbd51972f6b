/** Languages in which a recipe can be written. */
export const CODE_LANGUAGES = ['python', 'typescript', 'sql'] as const
export type CodeLanguage = (typeof CODE_LANGUAGES)[number]
