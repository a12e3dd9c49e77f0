/** Why a surface could not be read or compared. */

export class SurfaceFailure extends Error {
  /** What to do next, in the imperative. */
  readonly action: string;
  readonly exitCode: number;

  constructor(message: string, action: string, exitCode = 2) {
    super(message);
    this.name = 'SurfaceFailure';
    this.action = action;
    this.exitCode = exitCode;
  }
}
