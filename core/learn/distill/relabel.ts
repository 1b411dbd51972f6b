/** Answers that a teacher gives for one row. */
export const TEACHER_SAMPLES = 3
