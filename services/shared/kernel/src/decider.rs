//! How an aggregate decides: pure functions from state and command to events.

/// An aggregate's pure core. The same command on the state that it led to decides no new events.
pub trait Decider {
    /// The state of the aggregate; the default is one that does not exist yet.
    type State: Default;
    /// Its commands.
    type Command;
    /// Its events.
    type Event;
    /// Why a command can be refused.
    type Rejection;

    /// Decides what happens; time, new ids and looked-up facts arrive inside the command.
    ///
    /// # Errors
    /// The reason for which the command is refused; then nothing happens.
    fn decide(
        state: &Self::State,
        command: Self::Command,
    ) -> Result<Vec<Self::Event>, Self::Rejection>;

    /// Applies an event. It never fails, because a recorded event is a fact.
    fn evolve(state: Self::State, event: &Self::Event) -> Self::State;
}

/// The state after a history of events.
pub fn fold<'e, D: Decider>(events: impl IntoIterator<Item = &'e D::Event>) -> D::State
where
    D::Event: 'e,
{
    events.into_iter().fold(D::State::default(), D::evolve)
}
