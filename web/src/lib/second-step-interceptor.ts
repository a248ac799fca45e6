/** Makes a call again whose refusal says that the second step was shown too long ago. */
import type { Interceptor } from '@connectrpc/connect';
import { errorReason } from './errors';
import { askForSecondStep } from './second-step';

export const renewSecondStep: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    const isOld = !request.stream && errorReason(error) === 'SECOND_FACTOR_TOO_OLD';
    if (!isOld || !(await askForSecondStep())) throw error;
    return next(request);
  }
};
