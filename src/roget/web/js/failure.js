// An error with a message for the reader.

export class Failure extends Error {
  /** @param {string} message @param {number} [status] @param {string} [command] that solves the problem */
  constructor(message, status = 0, command = "") {
    super(message);
    this.status = status;
    this.command = command;
  }
}
