//! Commands on pictures, the maps over them, and tokens.

use eframe::egui::Key;

use super::{Command, Needs, command, key};
use crate::ui::action::Action;
use crate::ui::inspect::steps::Fact;
use crate::ui::look::Look;
use crate::ui::overlay::colormap::ColourMap;
use crate::ui::view::{Layer, ScaleScope};

pub(super) const COMMANDS: &[Command] = &[
    command("Inspect the selected picture", "Token by token.", Some(key(Key::Enter)), Needs::Run, || {
        Action::InspectSelected
    }),
    command("Next picture", "Of the group.", Some(key(Key::PageDown)), Needs::Run, || Action::NextPicture(1)),
    command("Picture before", "Of the group.", Some(key(Key::PageUp)), Needs::Run, || {
        Action::NextPicture(-1)
    }),
    command(
        "Next AR step",
        "Shows pictures as they were built.",
        Some(key(Key::CloseBracket)),
        Needs::Run,
        || Action::NextArStep(1),
    ),
    command(
        "AR step before",
        "Shows pictures as they were built.",
        Some(key(Key::OpenBracket)),
        Needs::Run,
        || Action::NextArStep(-1),
    ),
    command("Finished pictures", "Not as they were built.", Some(key(Key::Backslash)), Needs::Run, || {
        Action::ArStep(None)
    }),
    command("Unpin the token", "No token is pinned any more.", None, Needs::Run, || Action::Token(None)),
    command("Lay over: nothing", "The pictures alone.", Some(key(Key::Num0)), Needs::Nothing, || {
        Action::Layer(Layer::None)
    }),
    command("Lay over: uncertainty", "Over the pictures.", Some(key(Key::Num1)), Needs::Nothing, || {
        Action::Layer(Layer::Uncertainty)
    }),
    command("Lay over: MTE mask", "Over the pictures.", Some(key(Key::Num2)), Needs::Nothing, || {
        Action::Layer(Layer::MteMask)
    }),
    command("Lay over: consistency", "Over the pictures.", Some(key(Key::Num3)), Needs::Nothing, || {
        Action::Layer(Layer::Consistency)
    }),
    command("Lay over: cosine gain", "Over the pictures.", Some(key(Key::Num4)), Needs::Nothing, || {
        Action::Layer(Layer::CosineGain)
    }),
    command("Lay over: generation order", "Over the pictures.", Some(key(Key::Num5)), Needs::Nothing, || {
        Action::Layer(Layer::Order)
    }),
    command("Lay over: share of loss", "Over the pictures.", Some(key(Key::Num6)), Needs::Nothing, || {
        Action::Layer(Layer::LossShare)
    }),
    command("Lay over: KL", "Over the pictures.", Some(key(Key::Num7)), Needs::Nothing, || {
        Action::Layer(Layer::Kl)
    }),
    command(
        "More of the map",
        "The map hides 10 % more of the pictures.",
        Some(key(Key::Equals)),
        Needs::Nothing,
        || Action::Look(Look::Opacity(0.1)),
    ),
    command(
        "Less of the map",
        "The map hides 10 % less of the pictures.",
        Some(key(Key::Minus)),
        Needs::Nothing,
        || Action::Look(Look::Opacity(-0.1)),
    ),
    command("Colour map: viridis", "Over the pictures.", None, Needs::Nothing, || {
        Action::Look(Look::Colours(ColourMap::Viridis))
    }),
    command("Colour map: cividis", "Over the pictures.", None, Needs::Nothing, || {
        Action::Look(Look::Colours(ColourMap::Cividis))
    }),
    command("Colour map: magma", "Over the pictures.", None, Needs::Nothing, || {
        Action::Look(Look::Colours(ColourMap::Magma))
    }),
    command("Colour map: grey", "Over the pictures.", None, Needs::Nothing, || {
        Action::Look(Look::Colours(ColourMap::Grey))
    }),
    command("Scale: each picture", "What stands out within a picture.", None, Needs::Nothing, || {
        Action::Look(Look::Scale(ScaleScope::Picture))
    }),
    command(
        "Scale: the group",
        "What differs between the pictures of a group.",
        None,
        Needs::Nothing,
        || Action::Look(Look::Scale(ScaleScope::Group)),
    ),
    command("Scale: all iterations seen", "What changes while training.", None, Needs::Nothing, || {
        Action::Look(Look::Scale(ScaleScope::Run))
    }),
    command("Token grid", "Draws it over pictures, or not.", Some(key(Key::G)), Needs::Nothing, || {
        Action::Look(Look::Grid)
    }),
    command("Smooth maps", "Colours run from token to token, or not.", None, Needs::Nothing, || {
        Action::Look(Look::Smooth)
    }),
    command(
        "Sort tokens by token number",
        "The list in Inspect; again turns it round.",
        None,
        Needs::Nothing,
        || Action::Look(Look::Sort(Fact::Token)),
    ),
    command(
        "Sort tokens by generation order",
        "The list in Inspect; again turns it round.",
        None,
        Needs::Nothing,
        || Action::Look(Look::Sort(Fact::Order)),
    ),
    command(
        "Sort tokens by uncertainty",
        "The list in Inspect; again turns it round.",
        None,
        Needs::Nothing,
        || Action::Look(Look::Sort(Fact::Uncertainty)),
    ),
    command(
        "Sort tokens by rank of the uncertainty",
        "The list in Inspect; again turns it round.",
        None,
        Needs::Nothing,
        || Action::Look(Look::Sort(Fact::Rank)),
    ),
    command(
        "Sort tokens by MTE mask",
        "The list in Inspect; again turns it round.",
        None,
        Needs::Nothing,
        || Action::Look(Look::Sort(Fact::Multi)),
    ),
    command(
        "Sort tokens by cosine gain",
        "The list in Inspect; again turns it round.",
        None,
        Needs::Nothing,
        || Action::Look(Look::Sort(Fact::Gain)),
    ),
    command(
        "Sort tokens by AR steps that keep them",
        "The list in Inspect; again turns it round.",
        None,
        Needs::Nothing,
        || Action::Look(Look::Sort(Fact::Kept)),
    ),
    command(
        "Sort tokens by share of loss",
        "The list in Inspect; again turns it round.",
        None,
        Needs::Nothing,
        || Action::Look(Look::Sort(Fact::LossShare)),
    ),
    command("Sort tokens by KL", "The list in Inspect; again turns it round.", None, Needs::Nothing, || {
        Action::Look(Look::Sort(Fact::Kl))
    }),
];
