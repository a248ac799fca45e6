/** /desk/tasks: everything that needs a person, the most urgent first, each with its act. */
import { Card } from '@/components/ui/card';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { usePageTitle } from '@/lib/use-page-title';
import { useTasks } from '../hooks/use-tasks';
import { StaleNotice } from './stale-notice';
import { TaskCard } from './task-card';

export function TasksScreen() {
  const { tasks, failed, isRead } = useTasks();
  usePageTitle('Tasks');
  return (
    <div className="flex max-w-4xl flex-col gap-4">
      <PageHeading className="[&_h1]:text-h2">Tasks</PageHeading>
      {failed.map(({ what, error, readAt, retry }) => (
        <StaleNotice key={what} what={what} error={error} readAt={readAt} onRetry={retry} />
      ))}
      {isRead ? null : <Skeleton className="h-32 w-full rounded-card" />}
      {isRead && tasks.length === 0 && failed.length === 0 ? (
        <Card>
          <p className="font-semibold">Nothing needs you.</p>
          <p className="text-ink-2">New tasks come here by themselves.</p>
        </Card>
      ) : null}
      <ul className="flex flex-col gap-2.5">
        {tasks.map((task) => (
          <li key={task.key}>
            <TaskCard task={task} />
          </li>
        ))}
      </ul>
    </div>
  );
}
